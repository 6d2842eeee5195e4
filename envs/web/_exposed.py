"""Templates whose plans visit pages that show texts written by others.

Only there can a text be planted on the way; to find that out for a task, its plan is played. For the built-in
sites this list says whether it is worth trying; ``python -m turnwise.worlds.web.site.tryout NAME --exposed`` prints it.
"""

from turnwise.worlds.web.site.registry import BUILT_IN
from turnwise.worlds.web.site.tasks import Template

__all__ = ["may_hide"]

_EXPOSED = {
    "bank": """
        balance_at between_accounts dispute_payment freeze_used message_fact month_category paid_on
        paid_too_little paid_twice party_total pay_forgotten pay_new_payee pay_somebody received_when top_up
    """,
    "crm": """
        close_tickets moderate_reviews note_on_ticket ticket_priority
    """,
    "forum": """
        answer_top append_line clear_queue comment_on delete_comment lock_thread move_thread oldest_busy
        report_offence warn_author
    """,
    "mail": """
        archive_mail choose_invitation forward_invoice invoice_amount invoice_sum reply_with restore_mail
        update_contact who_cancelled who_does
    """,
    "maps": """
        best_rated closing_time correct_phone nearest_of_three nearest_open new_list save_nearest
    """,
    "shop": """
        best_coupon buy buy_best buy_in_colour buy_to_new_address change_stars heavier review_author
        take_review_back warranty wish_for_brand write_review
    """,
    "tracker": """
        block_issue close_duplicates first_blocker hand_over undo_priority write_comment
    """,
    "travel": """
        book_hotel hotel_distance
    """,
    "wiki": """
        add_line category_members fix_field hops lookup most_edited undo_all undo_vandal watch who_removed
    """,
}
_NAMES = {site: frozenset(names.split()) for site, names in _EXPOSED.items()}


def may_hide(template: Template) -> bool:
    """Whether texts can be planted in some of the template's tasks; for a user's own sites it is tried."""
    site, _, name = template.name.partition(".")
    return site not in BUILT_IN or name in _NAMES.get(site, ())
