"""The functions of music."""

from typing import Any

from turnwise.worlds.apps.api import Apps, require
from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

SONG = Table("songs", "song_id", "song", ("song_id", "title", "artist", "genre"), search=("title", "artist"))
PLAYLIST = Table("playlists", "playlist_id", "playlist", ("playlist_id", "title"), search=("title",))
STATION = Table("stations", "station_id", "station", search=("title",))
ALARM = Table("alarms", "alarm_id", "alarm", links={"song_id": "songs"})
BOOK = book_of("music", {"plays": "How often you have played it.", "seconds": "Length."})

BOOK.lists("search_songs", SONG, "List songs.", "query:str? artist:str? genre:str? min_year:int? max_year:int?")
BOOK.shows("show_song", SONG, "Show a song with its length, plays and rating.")
BOOK.lists("list_liked", SONG, "List songs that you like.", "", lambda row: bool(row["liked"]))
BOOK.sets("like_song", SONG, "Like a song.", liked=True)
BOOK.sets("unlike_song", SONG, "Take back the like of a song.", liked=False)
BOOK.lists("list_playlists", PLAYLIST, "List playlists.", "query:str?")
BOOK.shows("show_playlist", PLAYLIST, "Show a playlist with the numbers of its songs.")
BOOK.creates("create_playlist", PLAYLIST, "Create an empty playlist.", "title:str", {"songs": (), "public": False})
BOOK.updates("rename_playlist", PLAYLIST, "Rename a playlist.", "title:str")
BOOK.deletes("delete_playlist", PLAYLIST, "Delete a playlist.")
BOOK.sets("make_public", PLAYLIST, "Let everybody see a playlist.", public=True)
BOOK.sets("make_private", PLAYLIST, "Let nobody else see a playlist.", public=False)
BOOK.lists("list_stations", STATION, "List stations.", "query:str? genre:str?")
BOOK.sets("follow_station", STATION, "Follow a station.", followed=True)
BOOK.sets("unfollow_station", STATION, "Stop following a station.", followed=False)
BOOK.lists("list_alarms", ALARM, "List alarms.")
BOOK.creates("create_alarm", ALARM, "Create an alarm that plays a song.", "song_id:int rings_at:time")
BOOK.deletes("delete_alarm", ALARM, "Delete an alarm.")


@BOOK.by_hand("rate_song", "song_id:int rating:int", "Rate a song with 1 to 5 stars.")
def _rate(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    apps.mine("songs", "song_id", given["song_id"], user, "song")
    require(1 <= given["rating"] <= 5, "rating must be from 1 to 5")
    apps.store.update("songs", given["song_id"], {"rating": given["rating"]})
    return {"message": "The song was rated."}


def _listed(apps: Apps, user: str, given: dict[str, Any], adds: bool) -> Any:
    playlist = apps.mine("playlists", "playlist_id", given["playlist_id"], user, "playlist")
    song = given["song_id"]
    apps.mine("songs", "song_id", song, user, "song")
    require((song in playlist["songs"]) != adds, f"the playlist {'already has' if adds else 'does not have'} it", 409)
    songs = (*playlist["songs"], song) if adds else tuple(each for each in playlist["songs"] if each != song)
    apps.store.update("playlists", given["playlist_id"], {"songs": songs})
    return {"message": "The playlist was updated."}


@BOOK.by_hand("add_song", "playlist_id:int song_id:int", "Add a song to the end of a playlist.")
def _add(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return _listed(apps, user, given, True)


@BOOK.by_hand("remove_song", "playlist_id:int song_id:int", "Remove a song from a playlist.")
def _remove(apps: Apps, user: str, given: dict[str, Any]) -> Any:
    return _listed(apps, user, given, False)
