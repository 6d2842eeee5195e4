"""English words that the letters of invented names could spell, which are never used.

Source: the 120,000 most frequent words of English texts, proper names among them, in wordfreq 3 (Speer,
doi:10.5281/zenodo.7199437), limited to those that the inventories of ``turnwise.worlds.documents.names`` can spell.
"""

__all__ = ["ENGLISH"]

_WORDS = """
bada bade badu baka bake baku ballerina ballina bamberg banach banana bandana bandera barnes barren basic baskets
bede beren berenberg berets beric bernheim berwyn bettina bide bidets bike bismark bode bodega bogo boko boku
bolero boren boric boromir bozo brannen branstad brennen bromberg bronwyn brunnen buda budden bullen bulloch buren
burnes burren burthen callen camara camera camero canara cantina caren carina carolina carwyn castellano castello
celestina celina ceren conic connemara coren corina cortana cortina costello covina cullen curren dada dade danmark
daren darren datasets dave davide davina daze dede deke delano demerara denmark deren derren deva devi devo devonte
didi dido digi dike dinero dinesh diva dive divi divide divina dodo doge domina doren doric dove doze duda dude
duke durand duren dusen duvets fade fake fallen farina farren fasano fave faze felina femina ferric fide fido five
fontana foramina fuze gaga gage galera galina gamera ganesh garand gaskets gave gaza gaze gemara genera giga gigi
give giza gladden gogo goku gove hannes haruka helio hilario hiromi hitomi horatio jalalabad jokinen julio junio
kadesh kaka kalisto kamala karnes kava keke kendal kerala kike kiki kiko kinberg kiva koda kodi koko koresh kosovo
kudo lagi lago lake lalala lallana lamina landmark lantana lava leda lego lemberg lenovo levi lexa lexi lido liga
like lindberg live liza lode lodi logo loki loren love ludo luge lugo luka lukaku luke lundberg luxe madden made
madi madoka maga mage magi make maki mako malala malina malloch malvina manana mandal manheim manic mannes manuka
marana maranello marano maren maric marina marinara mario martello martina masala mascara masonic maxi maze medi
mega melina mellen mesic midi mika mikado mike miki miko miku milano milnes minarets minera ministerio misano moda
mode modi modo molina monero montana montano montero morano morello moronic motets move muda mullen music muskets
mutombo nada nadu naga naka naresh narvik nava nave navi nazi neko neva nevada neve nida nike niki niko niland node
nomina norberg nova novara novello novi novo nude nuke nuland nuremberg nurnberg padi page pagoda paki panamera
panasonic panera panic pantera parana paresh patio pave pedo pelinka perera pesach pescara pika pike pirandello
pisano piscina pogo poke polina polio polisario pollen posen positio pradesh presets puke pullen punic rada raga
rage rake ramana ramesh randal randstad rannoch rasen ratio ravage ravana rave ravello ravi raza raze redden redo
regi rennes renuka resets reve revive revoke reza rida ride riga rika riki ritesh riva rive rivera riverina rivero
rivets rivulets rode roku romana romano romario romberg romero romesh romina ronen rosalina rosario rosberg rosen
rosenberg rosenheim rosina rossoneri rove rude rudi runic runneth saarinen salina samara samberg sandal sandberg
sandvik santana sarina satomi savana selina semana semolina serina serio severa silvana silvano sitio solana solano
solara solberg solheim sondheim starnes stenberg sternberg sundberg suresh tada taka takagi take takeda takeru taki
talavera taluka tamara tamera tamina tanana tannen tannic taxa taxi teva tide tignes tiki tindal tirana tivo toda
todo toga togo toke toki tokio tonic tonio tonnes toric toscana toscano tove trodden trondheim tronic tulio tullio
tulloch tunic tuxedo valentina valera valeri valerio valero valets vandal vandana vandenberg varina vario veda vega
venera ventana verano vestnik vevo vida vide vigo viscera visio viva vive vivi vivo zaza zeke zika zindabad zuko
zululand
"""
ENGLISH = frozenset(_WORDS.split())
