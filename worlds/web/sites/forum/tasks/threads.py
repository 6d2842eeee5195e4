"""Tasks of the forum: threads, comments, votes and messages."""

from turnwise.worlds.web.site import (
    Answer,
    Draft,
    Draw,
    Plan,
    Said,
    Tasks,
    World,
    click,
    delete,
    fill,
    insert,
    select,
    update,
)
from turnwise.worlds.web.sites.forum.parts import PAGE, POINTS
from turnwise.worlds.web.sites.forum.tasks.moderation import WORDS, find_thread, stamp, threads_of

__all__ = ["threads"]

threads = Tasks()

_SEARCHES = 60
_OLDEST = 30  # threads of a board among which the oldest is looked for
_TOPICS = (
    "winter", "book", "guide", "neighbour", "library", "autumn", "weekend", "money", "advice", "diary", "photos",
    "sister", "beginners", "victory", "update", "praise", "story", "answers", "Sunday", "notes",
)  # fmt: skip
_REMARKS = (
    "Thank you, that helped me a lot.",
    "I have had the same problem since spring.",
    "Could you post a picture of it?",
    "Which tools did you use?",
    "I will try that on the weekend.",
    "That also worked in our club.",
)
_APPENDED = (
    "Update: solved, thank you all!",
    "Edit: pictures follow on Sunday.",
    "Update: it has held for two weeks now.",
    "Edit: corrected the year.",
)
_POSTS = (
    ("What do you do on rainy days?", "I would like to collect ideas for the autumn."),
    ("How did you learn it?", "From books, from people, or by doing it wrong?"),
    ("Which mistake taught you most?", "I will start: I always begin too late in the year."),
    ("Do you keep a diary of it?", "I have started one and wonder what to write down."),
    ("Who would join a meeting in May?", "I can offer a room for twelve people."),
)
_STORIES = (
    ("What I learned this year", "Patience, mostly, and to label everything."),
    ("A word of thanks", "You have helped me more often than you know."),
    ("Meeting in May", "There is a room for twelve people, and coffee."),
    ("My first try", "It did not work, but now I know why."),
    ("A tip from my aunt", "Write the date on everything, always."),
)
_NOTES = (
    ("A question", "May I quote your post in our club paper?"),
    ("Well done", "I liked your post very much."),
    ("Meeting", "Will you be at the meeting in May?"),
    ("Pictures", "Do you have more pictures of it?"),
)


@threads.template(1)
def follow_board(world: World, draw: Draw) -> Draft | None:
    """Ask to subscribe to a board, or to unsubscribe."""
    rows = world("forum").rows(
        "SELECT id, title, EXISTS (SELECT 1 FROM subscription WHERE board = board.id AND account = 1) FROM "
        "board ORDER BY id"
    )
    number, title, mine = draw.choice(rows)
    key = {"account": 1, "board": number}
    if mine:
        text, change = "Unsubscribe me from the board {0}.", delete("forum.subscription", key)
    else:
        text, change = "Subscribe me to the board {0}.", insert("forum.subscription", account=1, board=number)
    plan = (click(title, "link"), click("Unsubscribe" if mine else "Subscribe"))
    return Draft(text.format(title), plan, (change,))


@threads.template(1)
def upvote_newest(world: World, draw: Draw) -> Draft | None:
    """Ask to vote for the newest thread of a board, which a pinned one may stand above."""
    rows = world("forum").rows(
        "SELECT board.title, thread.id, thread.title, author, max(at), (SELECT count(*) FROM thread t WHERE "
        "t.board = board.id AND t.at = thread.at) FROM thread JOIN board ON board.id = board WHERE removed = 0 "
        "GROUP BY board ORDER BY board"
    )
    voted = world("forum").rows("SELECT item FROM vote WHERE account = 1 AND kind = 'thread'")
    rows = [row for row in rows if row[3] != 1 and row[5] == 1 and row[1] not in voted]
    if not rows:
        return None
    name, number, title, *_ = draw.choice(rows)
    verb, value = draw.choice((("Upvote", 1), ("Downvote", -1)))
    text = draw.choice(("{0} the newest thread in the board {1}.", "{0} the thread that was started last in {1}."))
    plan = (click(name, "link"), click(verb, near=title))
    return Draft(
        text.format(verb, name), plan, (insert("forum.vote", account=1, kind="thread", item=number, value=value),)
    )


@threads.template(2)
def take_back_vote(world: World, draw: Draw) -> Draft | None:
    """Ask to take a vote back."""
    rows = world("forum").rows(
        "SELECT thread.id, title, value FROM vote JOIN thread ON thread.id = item WHERE account = 1 AND kind = "
        "'thread' ORDER BY thread.id"
    )
    number, title, value = draw.choice(rows)
    vote, one = ("upvote", "an upvote") if value == 1 else ("downvote", "a downvote")
    text = draw.either(
        'Take back my {0} on the thread "{1}".', 'I gave the thread "{1}" {2} by mistake. Take the vote back.'
    )
    plan = (*find_thread(title)[:-1], click(f"Take back {vote}", near=title, via="Next"))
    return Draft(
        text.format(vote, title, one), plan, (delete("forum.vote", {"account": 1, "kind": "thread", "item": number}),)
    )


@threads.template(2)
def comment_on(world: World, draw: Draw) -> Draft | None:
    """Ask to comment on a thread."""
    number, title, *_ = draw.choice(threads_of(world, "locked = 0"))
    return _comment(world, draw, number, title)


@threads.template(2, infeasible=True)
def comment_locked(world: World, draw: Draw) -> Draft | None:
    """Ask to comment on a thread that is locked: not possible."""
    rows = threads_of(world, "locked = 1 AND moderator <> 1")
    if not rows:
        return None
    number, title, *_ = draw.choice(rows)
    draft = _comment(world, draw, number, title)
    return Draft(draft.instruction, draft.plan[:-2], infeasible="The thread is locked.")


def _comment(world: World, draw: Draw, number: int, title: str) -> Draft:
    body = draw.choice(_REMARKS)
    text = draw.either(
        'Write this comment in the thread "{0}", as a new comment and not as an answer: "{1}"',
        'In the thread "{0}", post a new comment of its own with the text "{1}"',
    )
    plan = (*find_thread(title), fill("Comment", body), click("Post comment"))
    change = insert("forum.comment", thread=number, author=1, body=Said(body), at=stamp(world))
    return Draft(text.format(title, body), plan, (change,))


@threads.template(2)
def post_thread(world: World, draw: Draw) -> Draft | None:
    """Ask to start a thread in the board that fits."""
    return _post(world, draw, False)


@threads.template(3)
def ask_by_rules(world: World, draw: Draw) -> Draft | None:
    """Ask to start a thread whose title must follow a rule of the board."""
    return _post(world, draw, True)


def _post(world: World, draw: Draw, question: bool) -> Draft:
    board, name, about, prefix = draw.choice(
        world("forum").rows("SELECT id, title, about, prefix FROM board ORDER BY id")
    )
    title, body = draw.choice(_POSTS)
    if question:
        text = (
            f'Ask a question in the board about {about}. Its title is "{title}", preceded by what the rules of '
            "that board want in "
            f'front of it and one space. The text: "{body}"'
        )
        title = f"{prefix} {title}"
    else:
        title, body = draw.choice(_STORIES)
        text = f'Start a thread in the board about {about}, with exactly the title "{title}" and the text "{body}"'
    look: Plan = (click("Rules of this board"), click("New thread")) if question else ()
    plan = (
        click(name, "link"),
        *(look or (click("New thread"), click("Close"))),
        fill("Title", title),
        fill("Text", body),
        click("Post thread"),
    )
    change = insert("forum.thread", board=board, author=1, title=title, body=Said(body), at=stamp(world))
    return Draft(text, plan, (change,))


@threads.template(3)
def answer_top(world: World, draw: Draw) -> Draft | None:
    """Ask to answer the comment with the most points."""
    busy = threads_of(world, "locked = 0 AND (SELECT count(*) FROM comment WHERE thread = thread.id) > 3")
    for thread in draw.sample(busy, 8):
        rows = world("forum").rows(
            "SELECT id, points, parent, author, body FROM comment WHERE thread = ? AND removed = 0 "
            "ORDER BY points DESC, id LIMIT 2",
            thread[0],
        )
        (top, most, parent, author, said), (_, second, *_) = rows
        if not parent and author != 1 and most > second:
            break
    else:
        return None
    number, title = thread[:2]
    body = draw.choice(_REMARKS)
    text = draw.either(
        'Answer the comment that has the most points in the thread "{0}". Your answer: "{1}"',
        'In the thread "{0}", find the comment with the highest points and post this answer to it: "{1}"',
    )
    plan = (
        *find_thread(title),
        click("Top", "link"),
        click("Answer", near=said),
        fill("Answer", body),
        click("Post answer"),
    )
    change = insert("forum.comment", thread=number, parent=top, author=1, body=Said(body), at=stamp(world))
    return Draft(text.format(title, body), plan, (change,))


@threads.template(3)
def upvote_author(world: World, draw: Draw) -> Draft | None:
    """Ask to vote for all threads of an author in a board."""
    rows = world("forum").rows(
        "SELECT author, board, count(*), name FROM thread JOIN account ON account.id = author WHERE removed = 0 "
        "AND author <> 1 AND thread.id NOT IN (SELECT item FROM vote WHERE account = 1 AND kind = 'thread') GROUP "
        "BY author, board HAVING count(*) BETWEEN 2 AND 8 ORDER BY author, board"
    )
    if not rows:
        return None
    author, board, _, name = draw.choice(rows)
    threads = threads_of(world, "author = ? AND board = ?", author, board)
    where = threads[0][5]
    voted = set(world("forum").rows("SELECT item FROM vote WHERE account = 1 AND kind = 'thread' AND value = -1"))
    if voted & {thread[0] for thread in threads}:
        return None
    ups = set(world("forum").rows("SELECT item FROM vote WHERE account = 1 AND kind = 'thread' AND value = 1"))
    todo = [thread for thread in reversed(threads) if thread[0] not in ups]
    text = draw.either(
        "Upvote all threads that {0} has started in the board {1}. Some may have your upvote already; leave it there.",
        "Every thread by {0} in {1} should have an upvote of mine.",
    )
    plan = (
        click("Search", "link"),
        fill("Author", name),
        select("Board", where),
        click("Search threads"),
        *(click("Upvote", near=thread[1]) for thread in todo),
    )
    changes = tuple(insert("forum.vote", account=1, kind="thread", item=thread[0], value=1) for thread in todo)
    return Draft(text.format(name, where), plan, changes)


@threads.template(4)
def oldest_busy(world: World, draw: Draw) -> Draft | None:
    """Ask for the author of the oldest thread with more than a number of comments."""
    cases = []
    for board, title in world("forum").rows("SELECT id, title FROM board ORDER BY id"):
        rows = world("forum").rows(
            "SELECT thread.title, name, (SELECT count(*) FROM comment WHERE thread = thread.id AND removed = 0), "
            "author FROM thread JOIN account ON account.id = author WHERE board = ? AND removed = 0 ORDER BY at, "
            "thread.id",
            board,
        )
        for limit in range(2, 10):
            busy = [row for row in rows[:_OLDEST] if row[2] > limit]
            if busy and busy[0][3] != 1:
                others = any(row[3] != busy[0][3] for row in busy)  # else their age does not matter
                cases.append((2 * others + (busy[0] is not rows[0]), title, limit, busy[0]))
    if not cases:
        return None
    most = max(case[0] for case in cases)
    _, title, limit, found = draw.choice([case for case in cases if case[0] == most])
    text = draw.either(
        "Who started the oldest thread in the board {0} that has more than {1} comments?",
        "Look for the oldest thread with more than {1} comments in {0}. Who is its author?",
    )
    plan = (click(title, "link"), click("Oldest first"), click(found[0], "link", via="Next"))
    return Draft(text.format(title, limit), plan, answer=Answer.of("text", found[1]))


@threads.template(2)
def add_up_points(world: World, draw: Draw) -> Draft | None:
    """Ask for the sum of points of what a search by two of word, author and board finds."""
    threads = world("forum").rows(
        f"SELECT lower(thread.title || ' ' || body), name, board.title, {POINTS} FROM thread JOIN account ON "
        "account.id = author JOIN board ON board.id = board WHERE removed = 0 ORDER BY thread.id"
    )
    first, found = draw.integer(0, 2), list[tuple[int, int, int, str, str, str]]()
    for number in range(_SEARCHES):
        _, author, board, _ = draw.choice(threads)
        left_out = number % 3
        word, author, board = (
            draw.choice(_TOPICS) * (left_out != 0),
            author * (left_out != 1),
            board * (left_out != 2),
        )
        tests = [(word.lower() in row[0], author in row[1], board in row[2]) for row in threads]
        points = [row[3] for row, test in zip(threads, tests, strict=True) if all(test)]
        alone = [sum(test[place] for test in tests) for place in range(3) if place != left_out]
        if 1 < len(points) <= min(PAGE, min(alone) - 1):
            found.append(((left_out - first) % 3, number, sum(points), word, author, board))
    if not found:
        return None
    *_, points_in_all, word, author, board = min(found)
    where = f"in the board {board}" if board else "in all boards together"
    if not author:
        text = draw.either(
            'How many points do all threads have together that the search of the forum finds for "{0}" {1}?',
            'Search the forum for the word "{0}" {1}. Add up the points of all threads that are found.',
        ).format(word, where)
    elif not word:
        text = f"How many points do all threads that {author} has started {where} have together?"
    else:
        text = f'Add up the points of all threads by {author} that the search of the forum finds for "{word}".'
    fields = ((WORDS, word), ("Author", author))
    plan = (
        click("Search", "link"),
        *(fill(label, value) for label, value in fields if value),
        *((select("Board", board),) if board else ()),
        click("Search threads"),
    )
    return Draft(text, plan, answer=Answer.of("number", points_in_all))


@threads.template(3)
def append_line(world: World, draw: Draw) -> Draft | None:
    """Ask to add a line to one of the user's posts."""
    number, title, *_, body, _ = draw.choice(threads_of(world, "author = 1"))
    line = draw.choice(_APPENDED)
    text = draw.either(
        'Edit my thread "{0}": add the line "{1}" at the end of its text and leave the rest as it is.',
        'Append "{1}" as a last line to the text of my thread "{0}".',
    )
    plan = (*find_thread(title), click("Edit thread"), fill("Text", f"{body}\n{line}"), click("Save changes"))
    change = update("forum.thread", number, body=Said(f"{body}\n{line}"), edited=stamp(world))
    return Draft(text.format(title, line), plan, (change,))


@threads.template(2)
def delete_comment(world: World, draw: Draw) -> Draft | None:
    """Ask to delete one of the user's comments."""
    rows = world("forum").rows(
        "SELECT comment.id, title, comment.body FROM comment JOIN thread ON thread.id = thread WHERE "
        "comment.author = 1 AND comment.removed = 0 GROUP BY thread.id HAVING count(*) = 1 ORDER BY comment.id"
    )
    if not rows:
        return None
    number, title, said = draw.choice(rows)
    text = draw.choice(('Delete my comment in the thread "{0}".', 'I wrote a comment in the thread "{0}". Delete it.'))
    plan = (*find_thread(title), click("Delete", near=said, via="Load more comments"))
    return Draft(text.format(title), plan, (update("forum.comment", number, removed=1),))


@threads.template(3)
def message_top(world: World, draw: Draw) -> Draft | None:
    """Ask to write to the author of the thread with the most points in a board."""
    name, title, author = "", "", 1
    for board, place in draw.shuffled(world("forum").rows("SELECT id, title FROM board ORDER BY id")):
        rows = world("forum").rows(
            f"SELECT title, author, {POINTS} AS p FROM thread WHERE board = ? AND removed = 0 ORDER BY p DESC, "
            "id DESC LIMIT 2",
            board,
        )
        if len(rows) == 2 and rows[0][2] > rows[1][2] and rows[0][1] != 1:
            name, (title, author, _) = place, rows[0]
            break
    if author == 1:
        return None
    subject, body = draw.choice(_NOTES)
    text = draw.either(
        'Send a message to the author of the thread with the most points in {0}. Subject: "{1}". Text: "{2}"',
        "Which thread of the board {0} has the most points? Write its author a message with the subject "
        '"{1}" and the text "{2}"',
    )
    person = world.cast.people[author - 1]
    plan = (
        click(name, "link"),
        click("Top", "link"),
        click(person.name, "link", near=title),
        click("Send a message"),
        fill("Subject", subject),
        fill("Text", body),
        click("Send message"),
    )
    change = insert("forum.message", sender=1, recipient=author, subject=subject, body=Said(body), at=stamp(world))
    return Draft(text.format(name, subject, body), plan, (change,))
