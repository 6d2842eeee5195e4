"""Names of invented people and places, for all worlds."""

__all__ = ["FIRST", "LAST", "STREETS", "TOWNS", "listed"]


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a text, in order."""
    return tuple(text.split())


FIRST = listed(
    """
    Ada Adil Agnes Akira Alba Amara Amir Anders Anika Anton Aria Arno Asha Astrid Ayla Basil Bela Bianca Boris Bruno
    Carla Carmen Casper Celia Cyril Dana Daria David Delia Diego Dina Dorian Edda Edgar Elena Elif Emil Enzo Erik
    Esra Esther Fabio Fatima Felix Fiona Flora Frida Gareth Gemma Gideon Giulia Goran Greta Hana Hanno Harriet
    Hector Hedda Hugo Ida Igor Ilse Imani Ines Iris Ivan Jana Jasper Joana Jonas Julia Kai Karim Katya Kenji Klara
    Lars Leila Lena Leo Lidia Linus Lorenz Lucia Magda Malik Mara Marco Marta Matteo Mila Mina Nadia Nils Nina Noor
    Olga Omar Oscar Paula Pedro Petra Priya Quentin Rafael Ravi Rita Rosa Ruben Salma Samir Sara Selma Silas Simone
    Sofia Stefan Tamar Tariq Tessa Theo Tilda Tomas Una Ursula Vera Viktor Wanda Yara Yusuf Zara Zoltan
    """
)
LAST = listed(
    """
    Abbott Adeyemi Almeida Andersen Aydin Bakker Barnes Bauer Becker Bennett Berger Bianchi Blum Brandt Byrne Campos
    Castro Chen Costa Crane Dahl Danso Dietrich Doyle Dunn Eklund Ellis Falk Farkas Ferrari Fischer Fontaine Foster
    Frost Garcia Gomez Grant Haas Hansen Hayashi Herrera Hoffman Holm Horvat Ito Ivanov Jansen Joshi Kaya Keller
    Khan Kimura Klein Koch Kovacs Krause Lang Larsen Lehmann Lindqvist Lopez Lund Maier Marino Mendes Meyer Moreau
    Mori Nagy Nakata Navarro Neri Novak Nyberg Okafor Olsen Ortega Osei Palmer Park Patel Pereira Petrov Popov Quinn
    Ramos Reyes Ricci Rossi Roth Saito Salas Sato Schmid Sharma Silva Singh Stein Svensson Takeda Toth Tran Vargas
    Vogel Wagner Walsh Weber Winter Wolf Yamada Young Zeller Ziegler
    """
)
TOWNS = listed(
    """
    Alderbrook Ashmere Bexley Brightwater Calder Carrick Crestfall Dunmore Eastvale Elmstead Fairhaven Farrow
    Glenmore Greyford Harwick Hollowell Ironbridge Juniper Kestrel Kingsmoor Larkhill Linden Maplewood Marston
    Northcliff Oakridge Orchard Pinehurst Quarry Ravenna Redwell Rosemont Saltmarsh Silverton Stonebridge Thornbury
    Tidewell Underhill Vantage Westerly Whitmore Yarrow
    """
)
STREETS = listed(
    """
    Alder Bridge Canal Castle Chapel Church Garden Harbour High Hill King Lake Market Mill Park Queen River School
    """
)
