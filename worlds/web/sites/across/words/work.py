"""The words of tasks across sites about customers, deals and issues."""

from turnwise.worlds.web.sites.across.words import Wording

__all__ = ["ASSIGNEE", "DEAL", "DEAL_SUBJECTS", "MILESTONE", "MILESTONE_TITLES", "PHONE", "THREAD"]

PHONE: Wording = (
    (
        "{name} has a new phone number.",
        "The phone number of {name} in the back office is out of date.",
        "We have an old phone number for {name} in the back office.",
        "Please update the phone number of the customer {name} in the back office.",
        "The back office has the wrong phone number for the customer {name}.",
        "I tried to call the customer {name}, but our number no longer works.",
    ),
    (
        "The right one is in the signature of the newest mail that {name} signed with a phone number.",
        "Look for the latest mail that {name} signed with a phone number; that number is the right one.",
        "Take the right number from the latest mail from {name} with a phone number in its signature.",
        "The current number is in the signature of a mail from {name}; if several mails are signed with a phone "
        "number, the newest one counts.",
        "Not all mails from {name} have a phone number in the signature; go by the newest one that does.",
        "Of the mails that {name} signed with a phone number, the newest has the right number.",
    ),
    (
        "Enter it in the back office, for the customer with the e-mail address from which that mail came.",
        "Change the entry in the back office with the e-mail address from which that mail was sent.",
        "If the back office has several entries of that name, change the one with the e-mail address from which that "
        "mail came.",
        "The customer to change in the back office is the one with the sender's e-mail address; there may be another "
        "of that name.",
        "There may be several customers named {name} in the back office: change the one with the e-mail address from "
        "which that mail was sent.",
    ),
)
DEAL_SUBJECTS = ("{}", "{}", "Your deal", "Reminder", "Due date", "The date of your deal")
DEAL: Wording = (
    (
        'Find out in the back office who owns the deal "{title}" and when it is due.',
        'Look up the deal "{title}" in the back office.',
        'I want to remind the owner of the deal "{title}" in the back office of its due date.',
        'The owner of the deal "{title}" in the back office should get a reminder.',
        'Check the deal "{title}" in the back office: who owns it, and when is it due?',
    ),
    (
        'Send the owner a mail with the subject "{subject}".',
        'Write a mail to the owner, with the subject "{subject}".',
        'The owner should get a mail from me with the subject "{subject}".',
        'Write to the owner by mail; the subject is "{subject}".',
    ),
    (
        "The text is the date in the column Due as YYYY-MM-DD, nothing else.",
        "Its text is only the date on which the deal is due, written as YYYY-MM-DD.",
        "As the text, write the due date as YYYY-MM-DD and nothing more.",
        "In the text, give just the due date of the deal (YYYY-MM-DD).",
    ),
)
ASSIGNEE: Wording = (
    (
        "Look for the {age} open issue with the priority {priority} in the project {project} of the tracker.",
        "In the tracker, find the {age} open issue of priority {priority} in the project {project}.",
        "Which is the {age} open issue with the priority {priority} in the tracker's project {project}?",
        "The project {project} in the tracker has several open issues with the priority {priority}; find the {age}.",
        "I have a question about an open issue in the project {project} of the tracker: the {age} one with the "
        "priority {priority}.",
    ),
    (
        "Open means neither Done nor Duplicate, and the {age} has the {extreme} number.",
        "An issue is open unless it is Done or Duplicate, and the {age} is the one with the {extreme} number.",
        "All issues but those marked Done or Duplicate are open; the {age} has the {extreme} number.",
        "Leave out all that are Done or Duplicate; the one with the {extreme} number is the {age}.",
    ),
    (
        "Send its assignee a mail.",
        "Write a mail to the person it is assigned to.",
        "Whoever it is assigned to should get a mail from me.",
        "Send a mail to whoever it is assigned to.",
    ),
    (
        'The subject is the key of the issue and nothing else, and the text is "{body}"',
        'Subject: only the key of the issue. Text: "{body}"',
        'Use just the key of the issue as the subject, and as the text write "{body}"',
        'Put only the key of the issue in the subject. The text is "{body}"',
    ),
)
THREAD: Wording = (
    (
        "Take the newest thread of the board {board} in the forum into the tracker.",
        "The newest thread of the board {board} in the forum belongs in our tracker.",
        "Turn the newest thread of the board {board} in the forum into an issue in the tracker.",
        "I have read the newest thread on the board {board} in the forum and want an issue for it in the tracker.",
        "Somebody has started a new thread on the board {board} in the forum. I want the newest one there as an issue "
        "in the tracker.",
    ),
    (
        "Create an issue in the project {project} with the title of the thread, word for word, as its title.",
        "Open an issue in the project {project} and give it exactly the title of the thread.",
        "File it in the project {project} under exactly the same title as the thread.",
        "In the project {project}, add an issue with the title of the thread, word for word.",
    ),
    (
        "Its description is the full name of the thread's author and nothing else.",
        "As the description, write the full name of whoever started the thread and nothing more.",
        "The description is just the full name of the person who started the thread.",
        "Put only the full name of the thread's author in the description.",
    ),
    (
        "Its priority is {priority}; leave the other fields as they are.",
        "Set the priority to {priority} and leave all other fields alone.",
        "The priority is {priority}, and all other fields stay as they are.",
        "Give it the priority {priority} and change no other field.",
    ),
    (
        "Then write a new comment of its own in that thread, with only the key of the new issue (such as ABC-12) as "
        "its text.",
        "Afterwards, post a comment in the thread (not a reply to another one) with just the key of the new issue, "
        "such as ABC-12.",
        "Finally, add a new comment of its own to the thread: only the key of the new issue (such as ABC-12).",
        "Then post a new comment in the thread, not a reply to another, with nothing but the key of the new issue "
        "(such as ABC-12).",
    ),
)
MILESTONE_TITLES = ("{0}: {1}", "{1} of {0}", "{0} {1} is coming", "Date for {0} {1}", "Next for {0}: {1}")
MILESTONE: Wording = (
    (
        "Announce the milestone {release} of the project {project} in the forum.",
        "People in the forum want to know when {release} of the project {project} is due.",
        "The milestone {release} of the project {project} should be announced in the forum.",
        "Let the forum know about the milestone {release} of our project {project}.",
        "I promised to announce {release}, a milestone of the project {project}, in the forum.",
    ),
    (
        'Start a thread in the board {board} with exactly the title "{title}".',
        'Open a new thread on the board {board}; its title is exactly "{title}".',
        'Post a thread with exactly the title "{title}" in the board {board}.',
        'Use the board {board}, and give the new thread exactly the title "{title}".',
    ),
    (
        "Its text is the date on which the milestone is due according to the tracker, as YYYY-MM-DD, and nothing else.",
        "The text is only the due date of the milestone from the tracker, written as YYYY-MM-DD.",
        "As the text, write the milestone's due date from the tracker as YYYY-MM-DD and nothing more.",
        "In the text, give just the date on which the milestone is due (YYYY-MM-DD); the tracker has it.",
    ),
)
