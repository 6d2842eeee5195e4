"""English words that the letters of invented names could spell, which are never used.

Source: the 56,000 most frequent English words of wordfreq 3 (Speer, doi:10.5281/zenodo.7199437), limited to those that
the inventories of ``turnwise.worlds.documents.names`` can spell.
"""

__all__ = ["ENGLISH"]

_WORDS = """
bada bade badu baka bake baku balkan barker bartel barter barton bede belgian belkin belter belton bergen berger
berlin berlioz bide bike bikram birkin bode bodega bogdan bogo boko boku bolger bolton boulton bozo bronzer buda
bulger burger burton dada dade dalton darken darker darlin dave davide daze dede deke delmar denver denzel deva devi
devlin devo didi dido digi dike diva dive divi divide dodo doge dove doze duda dude duke durkin fade fake falkirk
falter fave faze felton fervor fervour fide fido filter five forger forlorn fulton fuze gaga gage gagnon galvin
garter garvin gave gaza gaze giga gigi gilman gilmour give giza gogo goku gorgon gorton gove guzman kaka kalman
kargil kava keke kelvin kevlar kharkiv kharkov khartoum kike kiki kiko kilmer kilter kirkuk kiva koda kodi koko
korver kudo lagi lago lake larger larkin larval latvian lava lavrov leda lego levi lexa lexi lido liga lignin like
live liza lode lodi logo loki love lovren ludo luge lugo luka lukaku luke luxe made madi madoka maga mage magi
magnum make maki mako malkin malvern margin marker markov marlin marlon martel marten martial martian martin marvel
marvin maxi maze medi mega melton melvin menzel merger merkel merlin merton midi mignon mika mikado mike miki miko
miku milner milton moda mode modi modo molten morgan morgen mortal mortar mortem morten morton moulton move muda
nada nadu naga naka nava nave navi nazi neko neva nevada neve nida nike nikhil niki niko node norton nova novi novo
nude nuke padi page pagoda paki palmer panzer parker parkin parkour parlor parlour partial parton partum pave pavlov
pedo pervez pika pike pogo poke portal porter portion puke rada raga rage ragnar rake ravage rave ravi raza raze
redo regi reve revive revlon revoke reza rida ride riga rika riki riva rive rode roku rove rude rudi tada taka
takagi take takeda taki talker talkin tartan tartar tarzan taxa taxi tenzin teva tide tiki tiktok tilton tivo toda
todo toga togo toke toki tolman tove tuxedo veda vega vergil vertex vevo vida vide vigo vikram viktor virgil virgin
viva vive vivi vivo volker vortex vulgar zaza zeke zika zoltan zuko
"""
ENGLISH = frozenset(_WORDS.split())
