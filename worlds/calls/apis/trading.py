"""A broker: stocks, a portfolio, orders and a watchlist."""

import datetime
from typing import Literal

from turnwise.core.draw import Draw
from turnwise.worlds.calls.api import Api, Do, Place, Request, asked, dump
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.said import Said, money, number
from turnwise.worlds.desks.store import Row, Store, Tables
from turnwise.worlds.names import LAST

__all__ = ["TRADING"]

SECTORS = ("Energy", "Foods", "Motors", "Software", "Textiles")


def _stock(store: Store, symbol: str) -> Row:
    return store.row("stocks", symbol)


def _shown(symbol: str, row: Row) -> dict[str, object]:
    return {"symbol": symbol, **row}


def find_stock(store: Store, company: str) -> str:
    """Find the stocks whose company name contains a text, without their prices."""
    wanted = company.lower().strip()
    found = [(key, row) for key, row in store.rows("stocks") if wanted in row["company"].lower()]
    return dump([{"symbol": key, "company": row["company"], "sector": row["sector"]} for key, row in found])


def list_sector(store: Store, sector: Literal["Energy", "Foods", "Motors", "Software", "Textiles"]) -> str:
    """List the stocks of a sector with their prices in dollars."""
    return dump([_shown(key, row) for key, row in store.rows("stocks", sector=sector)])


def get_quote(store: Store, symbol: str) -> str:
    """Show the price of a stock in dollars."""
    return dump({"symbol": symbol, "price": _stock(store, symbol)["price"]})


def get_account(store: Store) -> str:
    """Show the cash in the account in dollars."""
    return dump({"cash": store.row("account", "me")["cash"]})


def list_holdings(store: Store) -> str:
    """List the shares in the portfolio, without prices."""
    return dump([{"symbol": key, "shares": row["shares"]} for key, row in store.rows("holdings")])


def _pay(store: Store, amount: float) -> None:
    cash = round(store.row("account", "me")["cash"] + amount, 2)
    if cash < 0:
        raise ValueError(f"there is not enough cash: ${-cash:.2f} is missing")
    store.change("account", "me", cash=cash)


def _positive(value: float, name: str) -> None:
    if not 0 < value <= 1_000_000:
        raise ValueError(f"{name} must be above 0 and at most 1000000")


def buy_shares(store: Store, symbol: str, shares: int) -> str:
    """Buy shares at the present price."""
    _positive(shares, "shares")
    price = _stock(store, symbol)["price"]
    _pay(store, -shares * price)
    held = store.get("holdings", symbol)
    store.put("holdings", symbol, {"shares": shares + (held["shares"] if held else 0)})
    return dump({"bought": shares, "symbol": symbol, "paid": round(shares * price, 2)})


def sell_shares(store: Store, symbol: str, shares: int) -> str:
    """Sell shares of the portfolio at the present price."""
    _positive(shares, "shares")
    held = store.get("holdings", symbol)
    left = (held["shares"] if held else 0) - shares
    if left < 0:
        raise ValueError(f"there are only {left + shares} shares of {symbol}")
    got = round(shares * _stock(store, symbol)["price"], 2)
    _pay(store, got)
    if left:
        store.put("holdings", symbol, {"shares": left})
    else:
        store.remove("holdings", symbol)
    return dump({"sold": shares, "symbol": symbol, "received": got})


def place_limit_order(store: Store, side: Literal["buy", "sell"], symbol: str, shares: int, limit: float) -> str:
    """Place an order that waits until the price reaches a limit; no cash moves now."""
    _stock(store, symbol)
    _positive(shares, "shares")
    _positive(limit, "limit")
    order = store.next_key("orders", "O")
    store.put("orders", order, {"side": side, "symbol": symbol, "shares": shares, "limit": float(limit),
                                "status": "open"})  # fmt: skip
    return dump({"order_id": order, **store.row("orders", order)})


def list_orders(store: Store, status: Literal["open", "cancelled"] = "open") -> str:
    """List the limit orders of a status, oldest first."""
    return dump([{"order_id": key, **row} for key, row in store.rows("orders", status=status)])


def cancel_order(store: Store, order_id: str) -> str:
    """Cancel an open limit order."""
    if store.row("orders", order_id)["status"] != "open":
        raise ValueError(f"{order_id} is not open")
    return dump({"order_id": order_id, **store.change("orders", order_id, status="cancelled")})


def list_watchlist(store: Store) -> str:
    """List the symbols on the watchlist."""
    return dump([key for key, _ in store.rows("watchlist")])


def watch(store: Store, symbol: str) -> str:
    """Put a stock on the watchlist."""
    _stock(store, symbol)
    store.put("watchlist", symbol, {"watched": True})
    return dump({"watching": symbol})


def unwatch(store: Store, symbol: str) -> str:
    """Take a stock off the watchlist."""
    store.remove("watchlist", symbol)
    return dump({"not_watching": symbol})


def fill(draw: Draw, rows: int, today: datetime.date) -> Tables:
    """Draw a market and a portfolio."""
    stocks: dict[str, dict[str, object]] = {}
    for name in draw.sample(LAST, min(rows, len(LAST))):
        sector = draw.choice(SECTORS)
        symbol = f"{name[:3]}{sector[0]}".upper()
        if symbol not in stocks:
            stocks[symbol] = {"company": f"{name} {sector}", "sector": sector,
                              "price": round(draw.integer(300, 30_000) / 100, 2)}  # fmt: skip
    symbols = list(stocks)
    held = draw.sample(symbols, 6)
    orders = {
        f"O{1001 + place}": {"side": draw.either("buy", "sell"), "symbol": draw.choice(symbols),
                             "shares": draw.integer(2, 60), "limit": float(draw.integer(5, 300)), "status": "open"}
        for place in range(4)
    }  # fmt: skip
    return {
        "stocks": stocks,
        "account": {"me": {"cash": float(draw.integer(20_000, 90_000))}},
        "holdings": {symbol: {"shares": draw.integer(3, 90)} for symbol in held},
        "orders": orders,
        "watchlist": {symbol: {"watched": True} for symbol in draw.sample(symbols, 4)},
    }


# ---- what people ask for --------------------------------------------------------------------------------------------


def _company(place: Place, symbol: str) -> str:
    return str(place.store.row("stocks", symbol)["company"])


def _symbol(do: Do, company: str) -> str:
    return str(next(one["symbol"] for one in do("find_stock", company=company) if one["company"] == company))


def buy(place: Place) -> Request:
    draw = place.draw
    company = _company(place, draw.choice([key for key, _ in place.store.rows("stocks")]))
    shares = draw.integer(2, 25)

    def program(do: Do) -> None:
        symbol = _symbol(do, company)
        do("buy_shares", symbol=symbol, shares=shares)
        do.memory["stock"] = company

    text, blank = asked(draw, f"buy {shares} shares of {company} at today's price",
                        f"buy some shares of {company} at today's price")  # fmt: skip
    return Request(text, program, blank, draw.either(f"{shares} shares.", f"Let's say {shares}.", f"{shares}, please."))


def spend(place: Place) -> Request:
    draw = place.draw
    company = _company(place, draw.choice([key for key, _ in place.store.rows("stocks")]))
    amount = draw.integer(8, 40) * 100

    def program(do: Do) -> None:
        symbol = _symbol(do, company)
        shares = int(amount // do("get_quote", symbol=symbol)["price"])
        do("buy_shares", symbol=symbol, shares=shares)
        do.memory["stock"] = company

    text, _ = asked(draw, f"buy as many whole shares of {company} as ${amount} will pay for")
    return Request(text, program)


def sell(place: Place) -> Request | None:
    draw = place.draw
    held = list(place.store.rows("holdings"))
    if not held:
        return None
    key, row = draw.choice(held)
    company, everything = _company(place, key), draw.chance(0.5)
    part = draw.integer(1, row["shares"])

    def program(do: Do) -> None:
        symbol = _symbol(do, company)
        owned = next(one["shares"] for one in do("list_holdings") if one["symbol"] == symbol)
        do("sell_shares", symbol=symbol, shares=owned if everything else part)

    if everything:
        return Request(asked(draw, f"sell all the shares of {company} that I have")[0], program)
    text, blank = asked(draw, f"sell {part} of my {company} shares", f"sell some of my {company} shares")
    return Request(text, program, blank, draw.either(f"{part} of them.", f"{part}, please.", f"Sell {part}."))


def limit_order(place: Place) -> Request:
    draw = place.draw
    company = _company(place, draw.choice([key for key, _ in place.store.rows("stocks")]))
    side, shares, limit = draw.either("buy", "sell"), draw.integer(2, 40), draw.integer(5, 300)

    def program(do: Do) -> None:
        order = do("place_limit_order", side=side, symbol=_symbol(do, company), shares=shares, limit=limit)
        do.memory["order"] = order["order_id"]

    text, blank = asked(draw, f"place a limit order to {side} {shares} shares of {company} at ${limit}",
                        f"place a limit order to {side} {shares} shares of {company}")  # fmt: skip
    return Request(text, program, blank, draw.either(f"At ${limit}.", f"The limit is ${limit}.", f"${limit}, please."))


def cancel_last(place: Place) -> Request | None:
    order = place.memory.get("order")
    if order is None or (place.store.row("orders", order))["status"] != "open":
        return None

    def program(do: Do) -> None:
        do("cancel_order", order_id=order)

    text, _ = asked(place.draw, place.draw.either("cancel the last limit order you placed for me",
                                                  "cancel the limit order that you placed last"))  # fmt: skip
    return Request(text, program, back=True)


def cancel_largest(place: Place) -> Request | None:
    opened = [row["shares"] for _, row in place.store.rows("orders", status="open")]
    if len(opened) < 2 or opened.count(max(opened)) > 1:
        return None

    def program(do: Do) -> None:
        order = max(do("list_orders"), key=lambda one: one["shares"])["order_id"]
        do("cancel_order", order_id=order)

    return Request(asked(place.draw, "cancel the open limit order that is for the most shares")[0], program)


def watch_extreme(place: Place) -> Request | None:
    draw = place.draw
    sector, cheap = draw.choice(SECTORS), draw.chance(0.5)
    prices = [row["price"] for _, row in place.store.rows("stocks", sector=sector)]
    if len(prices) < 2 or len(set(prices)) < len(prices):
        return None

    def program(do: Do) -> None:
        pick = min if cheap else max
        symbol = pick(do("list_sector", sector=sector), key=lambda one: one["price"])["symbol"]
        do("watch", symbol=symbol)

    kind = "cheapest" if cheap else "most expensive"
    text, blank = asked(draw, f"put the {kind} stock of the {sector} sector on my watchlist",
                        f"put the {kind} stock of a certain sector on my watchlist")  # fmt: skip
    return Request(text, program, blank, draw.either(f"The {sector} sector.", f"{sector}."))


def unwatch_pricey(place: Place) -> Request | None:
    draw = place.draw
    prices = {key: place.store.row("stocks", key)["price"] for key, _ in place.store.rows("watchlist")}
    limit = draw.integer(2, 28) * 10 + 5
    if not any(price > limit for price in prices.values()):
        return None

    def program(do: Do) -> None:
        for symbol in do("list_watchlist"):
            if do("get_quote", symbol=symbol)["price"] > limit:
                do("unwatch", symbol=symbol)

    return Request(asked(draw, f"take every stock that costs more than ${limit} a share off my watchlist")[0], program)


def watch_bought(place: Place) -> Request | None:
    company = place.memory.get("stock")
    if company is None:
        return None

    def program(do: Do) -> None:
        do("watch", symbol=_symbol(do, company))

    text, _ = asked(place.draw, "put the company whose shares you bought for me last on my watchlist")
    return Request(text, program, back=True)


def worth(place: Place) -> Request | None:
    held = list(place.store.rows("holdings"))
    if not held:
        return None
    company = _company(place, place.draw.choice(held)[0])

    def program(do: Do) -> Said:
        symbol = _symbol(do, company)
        shares = next(one["shares"] for one in do("list_holdings") if one["symbol"] == symbol)
        cents = round(shares * do("get_quote", symbol=symbol)["price"] * 100)
        do.memory["figure"] = f"{cents / 100:.2f}"
        return money(cents)

    return Request(
        place.draw.either(f"What are my {company} shares worth at the moment?",
                          f"How much are all of my shares of {company} worth now?"), program
    )  # fmt: skip


def cash(place: Place) -> Request:
    def program(do: Do) -> Said:
        cents = round(do("get_account")["cash"] * 100)
        do.memory["figure"] = f"{cents / 100:.2f}"
        return money(cents)

    return Request(place.draw.either("How much cash is in my trading account now?",
                                     "What's the cash balance of my trading account?"), program)  # fmt: skip


def waiting(place: Place) -> Request:
    def program(do: Do) -> Said:
        count = len(do("list_orders", status="open"))
        do.memory["figure"] = str(count)
        return number(count)

    return Request("How many of my limit orders are still open?", program)


_SYMBOL, _SHARES = "Symbol of a stock.", "Number of shares."
TRADING = Api(
    "trading",
    (
        desk_tool(find_stock, False, company="Part of the company's name."),
        desk_tool(list_sector, False, sector="The sector."),
        desk_tool(get_quote, False, symbol=_SYMBOL),
        desk_tool(get_account, False),
        desk_tool(list_holdings, False),
        desk_tool(buy_shares, True, symbol=_SYMBOL, shares=_SHARES),
        desk_tool(sell_shares, True, symbol=_SYMBOL, shares=_SHARES),
        desk_tool(place_limit_order, True, side="Whether to buy or to sell.", symbol=_SYMBOL, shares=_SHARES,
                  limit="The price in dollars."),
        desk_tool(list_orders, False, status="Status of the orders."),
        desk_tool(cancel_order, True, order_id="The order, like O1001."),
        desk_tool(list_watchlist, False),
        desk_tool(watch, True, symbol=_SYMBOL),
        desk_tool(unwatch, True, symbol=_SYMBOL),
    ),
    fill,
    (buy, spend, sell, limit_order, cancel_last, cancel_largest, watch_extreme, unwatch_pricey, watch_bought),
    (worth, cash, waiting),
    frozenset({"buy_shares", "sell_shares", "place_limit_order", "cancel_order", "watch", "unwatch"}),
)  # fmt: skip
