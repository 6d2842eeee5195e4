"""What people were doing with a unit of the library when they saw something wrong."""

from collections.abc import Mapping

__all__ = ["STORIES"]

STORIES: Mapping[str, tuple[str, ...]] = {
    "spans": (
        "We use this to find free stretches in the channel plan.",
        "I'm reserving blocks of ticket numbers with this.",
        "Our archive keeps the page ranges that have been scanned as spans.",
    ),
    "money": (
        "I was splitting the bill of our last team dinner.",
        "The treasurer checks every amount by hand, and this one did not match.",
        "I'm moving our receipts over from a spreadsheet and comparing the two.",
    ),
    "dates": (
        "I keep track of library loans with this.",
        "The probation periods in our HR list are computed from it.",
        "We noticed it when the calendar for next year was printed.",
    ),
    "matrix": (
        "I use the tables for a puzzle page in the school magazine.",
        "The heat maps of the parking lot are built on this.",
        "I was preparing exercise sheets with number tables.",
    ),
    "graph": (
        "Our map of the cycle paths is stored like this.",
        "I use it to plan how the network cables in our building run.",
        "The museum's rooms and doors are entered as a network, for the audio guide.",
    ),
    "series": (
        "I feed the water level of the creek into this, one value a day.",
        "The step counts of my phone go through it.",
        "We plot the weekly sales with this.",
    ),
    "words": (
        "I count words in letters of my grandfather's.",
        "The tag cloud on our blog comes from here.",
        "I was building a vocabulary list for my French class.",
    ),
    "layout": (
        "The receipts of our till are laid out by this.",
        "I print labels with it, and the printer is strict about widths.",
        "The help pages of our command line tool are formatted with it.",
    ),
    "codes": (
        "The children in our scout group exchange messages encoded with this.",
        "We compress the rows of knitting patterns with it.",
        "I'm porting an old geocaching puzzle and comparing the outputs.",
    ),
    "formula": (
        "The cells of our little spreadsheet are evaluated by this.",
        "A pupil typed a homework exercise into it.",
        "It's the calculator behind our chat bot.",
    ),
    "brackets": (
        "Our editor plugin underlines brackets with this.",
        "I check hand-written configuration files with it before they are loaded.",
        "The template checker on our build server relies on it.",
    ),
    "paths": (
        "Our backup script cleans its list of folders with this.",
        "I unpack archives with it and want to be sure where the files end up.",
        "The include lines of our documentation are resolved here.",
    ),
    "cache": (
        "The price lookups of our till go through this.",
        "I replayed an hour of production traffic against it.",
        "We wondered why the hit rate on the dashboard looked odd.",
    ),
    "ledger": (
        "I'm reconciling last month's bookings.",
        "The kids' pocket money accounts are kept in this.",
        "Our auditor asked about one of the accounts.",
    ),
    "stock": (
        "We order from this every Friday, and the supplier called back.",
        "I was checking the store room of our canteen.",
        "The food bank's shelves are tracked with it.",
    ),
    "machine": (
        "We simulate the turnstile at the swimming pool before changing its firmware.",
        "Visitors got stuck at the gate this morning.",
        "I'm writing the operator's manual and tried the examples.",
    ),
    "jobs": (
        "The nightly batch jobs are planned with this.",
        "I simulate the queue of our 3D printer.",
        "We estimate with it when the build server is done.",
    ),
    "tree": (
        "Our categories are stored as such a tree.",
        "I entered the comments of a discussion, with the reply structure.",
        "The parts list of our machine is kept this way.",
    ),
    "votes": (
        "We elected the spokespeople of the allotment gardens last night and I counted again by hand.",
        "The choice of our next book club title is made with this.",
        "I'm checking the results of the student council.",
    ),
    "editor": (
        "Our note-taking app keeps its history with this.",
        "A user pressed undo a few times and lost text.",
        "I replay recorded key strokes to find out what people wrote.",
    ),
    "digits": (
        "The numbers on our membership cards are checked with this.",
        "I'm preparing a lesson about number systems.",
        "The warehouse labels carry a check digit from here.",
    ),
    "csvtext": (
        "A customer sent us a file from their accounting software.",
        "I import the registration forms of our summer camp.",
        "We exchange address lists with another club in this format.",
    ),
    "versions": (
        "Our update notification depends on this.",
        "I was tagging the next release.",
        "The plugin list decides with it what can be installed.",
    ),
    "durations": (
        "I add up the times in my training diary.",
        "Our invoices take the hours from here.",
        "The cooking times on our recipe site are handled by this.",
    ),
    "settings": (
        "After the move to the new server one setting was not what the file says.",
        "I compare the settings of our two mail servers.",
        "Our installer reads its file with this.",
    ),
    "query": (
        "The links in our shop's newsletters are rewritten with this.",
        "I strip the tracking parameters from bookmarks.",
        "A colleague from marketing sent me an address that does not work.",
    ),
    "slugs": (
        "The addresses of our news articles are made with this.",
        "The headlines and file names of our parish magazine are made by it.",
        "Two pages of our wiki ended up in odd places.",
    ),
    "timesheet": (
        "The night shift says that their sheet is wrong.",
        "I was preparing the hours for the accountant.",
        "A nurse compared her own notes with the printout.",
    ),
    "grades": (
        "A student asked me to check the mark.",
        "I was filling in the marks for the end of term.",
        "We compared it with the old spreadsheet of the department.",
    ),
    "league": (
        "The table on our site differs from the one in the local paper.",
        "I enter the results of the youth league every Sunday.",
        "A reader complained about her team.",
    ),
    "tariff": (
        "A tenant asked how the water bill came about.",
        "I'm checking the parking machine against the sign next to it.",
        "We changed our prices and I went through some examples.",
    ),
    "lots": (
        "I'm doing my tax return with this.",
        "Our coffee beans are bought in lots and I check what was paid.",
        "The securities statement from my bank says something else.",
    ),
    "limiter": (
        "A partner complains that their calls are refused.",
        "I replayed the requests of last Tuesday.",
        "We introduced limits last month and are still tuning them.",
    ),
    "sessions": (
        "The numbers in our web statistics dropped after the last deployment.",
        "I compare our own counts with those of the old tracker.",
        "Marketing asked how many visits the campaign brought.",
    ),
    "logs": (
        "I was looking for the cause of Monday's outage.",
        "Our weekly report about errors is made from this.",
        "The on-call phone did not ring, although it should have.",
    ),
    "pages": (
        "Customers say that they cannot reach the last entries of a list.",
        "I clicked through our member directory.",
        "The footer of our search page looked wrong in the demo.",
    ),
    "alarms": (
        "The freezer alarm went off in the night, or should have.",
        "I'm tuning the thresholds for our server room.",
        "We test the flood sensors in the basement once a year.",
    ),
    "tickets": (
        "A customer waited the whole day for an answer.",
        "I planned the shifts of our help desk with this.",
        "The team lead asked why the backlog looks like that.",
    ),
    "purchasing": (
        "The supplier's invoice does not match what we ordered.",
        "I prepared this week's order for the canteen.",
        "We had to send back a delivery.",
    ),
    "stocktaking": (
        "We counted the shelves yesterday.",
        "The yearly stocktaking is over, and I went through the list.",
        "My colleague counted the shelves again and got other numbers.",
    ),
    "statements": (
        "A customer called about her statement.",
        "The letters to our customers go out tomorrow.",
        "I was checking the statements of the savings club.",
    ),
    "bookings": (
        "Two groups stood in front of the same meeting room.",
        "I wanted to book the music room.",
        "The screen next to our meeting room shows something strange.",
    ),
    "subscriptions": (
        "A member showed me the letter that she got.",
        "I was going through the renewals of next quarter.",
        "Somebody cancelled and asked for money back.",
    ),
    "payroll": (
        "The accountant sent the payroll back to me.",
        "One of the drivers says that his payslip is wrong.",
        "I compared this week's wages with the old program.",
    ),
    "matchday": (
        "I was updating the club's website after the weekend.",
        "The away fans noticed it first.",
        "The table in our stadium magazine is made with this.",
    ),
    "reports": (
        "The headmaster asked about one line of the report.",
        "I was preparing the prize-giving.",
        "Parents wrote to us about the list.",
    ),
    "releases": (
        "Our bot opened a pull request for an upgrade that makes no sense.",
        "I was preparing the release notes.",
        "A downstream project cannot find our archive.",
    ),
    "catalogue": (
        "Customers say that the search in our shop is broken.",
        "I was testing the shop before the sale starts.",
        "A link that we had printed in a flyer shows the wrong page.",
    ),
    "gateway": (
        "One of our customers got blocked over the weekend.",
        "I was checking the usage figures for the invoices.",
        "We looked at who causes the load.",
    ),
    "oncall": (
        "This morning's handover left something out.",
        "I had the night shift and compared the summary with the log.",
        "My colleague wondered about the summary that I sent.",
    ),
    "greenhouse": (
        "The tomatoes got cold last night.",
        "One of our sensors drops readings, so I looked at what we make of them.",
        "I compared the report with the chart on the controller.",
    ),
    "newsletter": (
        "The test mail of this week's issue looked wrong.",
        "I was proofreading the newsletter.",
        "A reader with a text terminal sent us a screenshot.",
    ),
    "imports": (
        "After importing the members of the neighbouring club, some were not right.",
        "The town hall sent us a new list.",
        "I exported our members and looked at the file.",
    ),
    "workshop": (
        "A customer came to fetch his bike and it was not ready.",
        "I was planning next week in the workshop.",
        "The dates that we promise on the phone come from here.",
    ),
    "delivery": (
        "One of our couriers took a strange route.",
        "I was planning tomorrow's rides.",
        "A customer was told that we do not deliver to her.",
    ),
    "gallery": (
        "The photo gallery felt slow, so I counted.",
        "I wanted to know how much memory the previews take.",
        "We moved the gallery to a smaller machine.",
    ),
    "committee": (
        "We filled the seats of the works council last night.",
        "Somebody contests the election of our board.",
        "I counted the ballots by hand to be sure.",
    ),
    "staff": (
        "The organization chart on the intranet is off since the merger.",
        "HR asked me who has to sign a form.",
        "I was preparing the slides for the staff meeting.",
    ),
    "website": (
        "Our link checker reported something that I cannot confirm.",
        "After moving the blog into a folder, I checked its links.",
        "The menu of our site was wrong after the relaunch.",
    ),
}
"""By the name of a unit."""
