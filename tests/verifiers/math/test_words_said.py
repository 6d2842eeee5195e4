"""Golds that are words: what the last sentence says of what is asked, and what it says of something else."""

import pytest

from tests._work import at_most
from turnwise.verifiers.math import verify

DUE = (
    "Today is Wednesday. Paul has borrowed a library book that is due exactly 45 days from today. On which day"
    " of the week is it due?"
)
APR = "In a certain year, March 1 is a Friday. On which day of the week does April 10 fall in that year?"
DAY = "Today is Friday. What day of the week will it be 100 days from now?"
LEO = (
    "Three children compare how fast they run. Tom ran 1500 m in 6 minutes, Aisha ran 2.4 km in 10 minutes, "
    "and Leo ran at a steady 14.7 km/h. Who was the second fastest of the three?"
)
ELEC = "In an election Adair got 412 votes, Brandt 433 and Cho 155. Who got the most votes?"
SHOP = (
    "Shop A sells a 750 g bag of rice for $2.85, Shop B a 1.2 kg bag for $4.44, and Shop C a 2 kg bag for "
    "$7.70. Which shop has the lowest price per kilogram?"
)
LIM = "4.0 g of H2 is mixed with 16 g of O2 and ignited to form water (2 H2 + O2 → 2 H2O). Which reactant is limiting?"
EXC = "2.0 mol of N2 and 3.0 mol of H2 react to ammonia. Which reactant is in excess?"
VEC = "Are the vectors (1, 2, 0), (0, 1, 1) and (1, 3, 1) linearly independent?"
CONS = "Is the vector field F(x, y) = (2xy, x^2 + 3y^2) conservative?"
PRIME = "Is 221 a prime number?"
INV = "Does the matrix [[2, 4], [1, 2]] have an inverse?"
FIT = "A box has a volume of 480 cm^3. Is the box large enough to hold 500 ml of water?"
ALL = "Are all the numbers 11, 21 and 31 prime?"
SER = "Does the series sum_{n=1}^∞ n/(n^2+1) converge or diverge?"
INT = "Evaluate the improper integral of 1/(x-1)^2 from x = 0 to x = 3, or state that it diverges."
PAR = "Is the function f(x) = x^3 + x even, odd, or neither?"
MONO = "Is f(x) = x^3 - 3x increasing or decreasing on the interval (-1, 1)?"
TRI = "A triangle has sides 5, 5 and 8. Is it acute, right or obtuse?"
TRI2 = "What kind of triangle has the sides 5, 5 and 8: scalene, isosceles or equilateral?"
LINES = "Are the lines y = 2x + 1 and 2y = 4x - 3 parallel, perpendicular or neither?"
OPT = (
    "Which of the following functions is odd?\n"
    "(A) f(x) = x^2 + 1\n"
    "(B) f(x) = x^3 + 2\n"
    "(C) f(x) = x^3 - 4x\n"
    "(D) f(x) = |x|"
)
NOPT = "Which of the following numbers is not prime? (A) 41 (B) 51 (C) 61 (D) 71"
NS = "Solve for real x: x/(x - 3) - 2 = 3/(x - 3)."
ABS = "Solve for x in the real numbers: |x + 4| + 3 = 1."
SYS = "Solve the system x + y = 3, 2x + 2y = 7."
MON = "A bill is due 100 days after January 5. In which month is it due?"
COL = "A bag holds red, blue and green marbles. Of which colour are there the most?"
REACT = "Is the reaction with ΔH = -57 kJ/mol endothermic or exothermic?"
FLOAT = "A cube with a density of 0.8 g/cm^3 is put into water. Does it float or sink?"
TF = "True or false: every square matrix with determinant 0 has an inverse."
OLD = "Ann is 12, Ben is 15 and Carl is 9. Who is the oldest?"
RAT = "Is the number 0.121212... rational or irrational?"
HALF = (
    "Beaker P cools from 90 to 60 degrees in 5 minutes, beaker Q from 80 to 65 degrees in 3 minutes. Which "
    "beaker cools faster?"
)
TRAIN = (
    "Train A leaves at 8:00 and travels at 80 km/h, Train B leaves at 8:30 and travels at 120 km/h. Which "
    "train reaches the station 200 km away first?"
)
GAS = "Which gas has the greater density at 0 °C and 1 bar, N2 or O2?"
ACID = "Is a solution with pH 4.2 acidic, neutral or basic?"
EIG = "Is the matrix [[1, 1], [0, 1]] diagonalizable?"
CONT = "Is the function f(x) = |x| differentiable at x = 0?"
ENOUGH = "A roll of wallpaper covers 5 m^2. Will 7 rolls be enough for a wall of 36 m^2?"
TRIQ = "Can 3, 4 and 8 be the sides of a triangle?"
SQ = "Is there an integer whose square is 2024?"
LUX = "Lina saves 12 euros a week and Max 50 euros a month. Who saves more in a year?"
MEET = "If 1 January 2023 is a Sunday, what day of the week is 1 January 2024?"
SHIFT = "Nurse Amy works every 6 days, first on a Monday. On which day of the week is her fifth shift?"
CRIT = "Does f(x) = x^4 - 4x^3 have a maximum, a minimum or a saddle point at x = 3?"
RCOL = "A pattern of beads repeats red, green, blue, yellow. What colour is the 50th bead?"
EQ = "Find all integers n with 4n + 6 = 9, or say that there is no solution."
OPT2 = "What is the derivative of sin(2x)?\n(A) cos(2x)\n(B) 2cos(2x)\n(C) -2cos(2x)\n(D) 2sin(x)"
OPT3 = (
    "Which statement about the mean and the median is true?\n"
    "A. They are equal.\n"
    "B. The mean is larger.\n"
    "C. The median is larger.\n"
    "D. Neither can be found."
)
CHEAP = (
    "Bakery Anker sells 8 rolls for €5.20 and bakery Brot sells 6 rolls for €3.84. Which bakery is cheaper per roll?"
)
GROUP = "Is the group Z_4 isomorphic to Z_2 x Z_2?"
RACE = "Four runners, Ida, Jon, Kai and Lea, finish a race in 52 s, 49 s, 55 s and 50 s. Who came third?"
ALTERNATING = "Is the sequence a_n = (-1)^n / n convergent?"
SIMILAR = "Are the triangles with sides 3, 4, 5 and 6, 8, 10 similar?"
ROOTS = "Does the equation x^2 + 2x + 5 = 0 have real solutions?"
JUNE = "If the 4th of May is a Thursday, which day of the week is the 20th of June of the same year?"
DENSITY = "A metal ball is heated. Does its density increase or decrease?"
INVEST = (
    "Which investment is worth more after 2 years: investment X with 5% interest a year or investment Y with "
    "2.5% interest every half year, both starting at $1000?"
)
COSINE = "In which quadrant... Is cos(200°) positive or negative?"
LINEAR = "Solve 2(x + 3) = 2x + 5."
ZINC = "Which element is oxidized in Zn + Cu2+ → Zn2+ + Cu? (A) Zn (B) Cu (C) both (D) neither"
MERSENNE = "Is the number 2^31 - 1 even? Answer yes or no."
COLLINEAR = "Do the points (1, 1), (2, 3) and (4, 7) lie on one line?"
NINES = "Is 0.999... equal to 1?"
SQUARE_SUM = "Is the sum of the first 100 odd numbers a perfect square?"
MEET_LINES = "Do the lines y = 3x - 1 and y = 3x + 4 intersect?"
INVERTIBLE = "Is the matrix A = [[1, 2], [3, 4]] invertible?"
GREATER = "Is 3/7 greater than 2/5?"
SHARE = "Anna has 24 apples and 5 friends. Can she share the apples equally among her friends?"
INVERSE = "Does the function f(x) = x^2 have an inverse on the whole real line?"
PLANETS = "Which of the planets in the table, Arda (radius 4100 km), Brin (3900 km) or Cora (5200 km), is the smallest?"
SALT = "Which salt is more soluble in water at 20 °C, NaCl (36 g per 100 ml) or KNO3 (32 g per 100 ml)?"
INTEGRAL = "Does the integral of 1/x^2 from 1 to infinity converge or diverge?"
SADDLE = "Is the critical point (0, 0) of f(x, y) = x^2 - y^2 a maximum, a minimum or a saddle point?"
METER = "My meter was read on a Sunday. It is read every 30 days. On what weekday is the next reading?"
QUARTIC = "Find the real solutions of x^4 + 3x^2 + 2 = 0."
BOXES = (
    "Three boxes: the red box weighs 3.2 kg, the blue one 2.9 kg and the green one 3.5 kg. Which box is the "
    "second heaviest?"
)
CITIES = "Which city is warmer, Oslo at 14 °C or Turin at 59 °F?"
CONVERSE = 'Is the statement "if x^2 = 4 then x = 2" true or false?'

RIGHT = [
    (DUE,
     "45 = 42 + 3. Six weeks bring us back to Wednesday, and three more days take us to Saturday. The "
     "book is due on a Saturday, so Paul should mark his calendar.", "Saturday"),
    (DUE,
     "45 leaves remainder 3 when divided by 7. Counting on: Thursday, Friday, Saturday. So the book "
     "has to be returned on a Saturday.", "Saturday"),
    (APR,
     "There are 40 days between the two dates, and 40 = 5·7 + 5. Five days past Friday is Wednesday, "
     "which means that April 10 is a Wednesday in that year.", "Wednesday"),
    (APR,
     "From March 1 to April 10 it is 40 days. After 35 of them it is a Friday again; five days later "
     "it's a Wednesday.", "Wednesday"),
    (DAY, "98 days from now it's Friday again, so 100 days from now it's two days after Friday, a Sunday.", "Sunday"),
    (DAY,
     "100 = 14 · 7 + 2. Two days after a Friday comes a Sunday. So it will be a Sunday, which is two "
     "days into the next weekend.", "Sunday"),
    (LEO,
     "15 km/h, 14.4 km/h and 14.7 km/h, so **Leo** was the second fastest. Tom would win a race "
     "against him.", "Leo"),
    (LEO, "Tom reaches 15 km/h, Aisha 14.4 km/h. With his 14.7 km/h, Leo comes in second place, behind Tom.", "Leo"),
    (ELEC, "433 is more than 412 and 155, so Brandt got the most votes. The lead over the runner-up is 21.", "Brandt"),
    (SHOP,
     "Per kilogram the rice costs $3.80, $3.70 and $3.85. At $3.70, the lowest price per kilogram is "
     "that of Shop B, which saves you 10 cents.", "Shop B"),
    (SHOP, "The prices are $3.80, $3.70 and $3.85. So it's Shop B that has the lowest price per kilogram.", "Shop B"),
    (LIM,
     "16 g of O₂ are 0.50 mol and 4.0 g of H₂ are 2.0 mol; 0.50 mol needs only 1.0 mol.\n"
     "\n"
     "**The limiting reactant is oxygen ($O_2$).**\n"
     "\n"
     "1.0 mol of hydrogen is left.", "O_2"),
    (EXC,
     "3.0 mol of H2 use up 1.0 mol of N2.\n"
     "\n"
     "**Reactant in excess: nitrogen (N₂)**\n"
     "\n"
     "The yield is 2.0 mol of ammonia.", "N_2"),
    (VEC,
     "The third row is the sum of the first two, so the determinant is 0. Hence the vectors are "
     "linearly dependent.", "No"),
    (VEC,
     "The third vector is the sum of the other two. Therefore these three vectors are not linearly "
     "independent.", "No"),
    (CONS, "∂P/∂y = 2x and ∂Q/∂x = 2x agree everywhere, so F is conservative. A potential is x²y + y³.", "Yes"),
    (PRIME, "Trying small divisors, 13 works: 221 = 13 · 17. So 221 is not a prime number.", "No"),
    (PRIME, "We see that 13 · 17 = 221. Therefore 221 is composite.", "no"),
    (INV, "The determinant is 2·2 - 4·1 = 0. So the matrix does not have an inverse.", "No"),
    (FIT, "500 ml is 500 cm³, and 480 < 500. Thus the box is not large enough to hold the water.", "No"),
    (ALL, "21 = 3 · 7, so not all the numbers are prime.", "No"),
    (SER,
     "The terms behave like 1/n, and the harmonic series diverges. By limit comparison the given "
     "series diverges as well.", "diverges"),
    (SER,
     "n/(n^2+1) > 1/(2n) for n > 1. Since the harmonic series does not converge, our series does not "
     "converge.", "diverges"),
    (INT, "On [0,1) the antiderivative -1/(x-1) grows without bound, so the improper integral diverges.", "diverges"),
    (PAR,
     "f(-x) = -x^3 - x = -f(x) for every x. Hence the function is odd. Its graph is symmetric about "
     "the origin.", "odd"),
    (MONO,
     "f'(x) = 3x^2 - 3 is negative for -1 < x < 1. Therefore f is decreasing on the interval (-1, 1).", "decreasing"),
    (TRI, "25 + 25 = 50 < 64, so the largest angle exceeds 90°. Thus the triangle is obtuse.", "obtuse"),
    (TRI2, "Two of the sides have length 5 and the third is 8. So it is an isosceles triangle.", "isosceles"),
    (LINES,
     "The second line is y = 2x - 1.5. Both slopes are 2, so the lines are parallel. They never meet, "
     "since the intercepts differ.", "parallel"),
    (OPT, "Even powers rule out A and D, and B has a constant. This leaves (C): f(-x) = -f(x) there.", "C"),
    (OPT, "Only C is odd: f(-x) = -x^3 + 4x = -f(x).", "C"),
    (NOPT, "51 = 3 · 17, so (B) is not prime. The others have no divisors up to 8.", "B"),
    (NS,
     "For x ≠ 3 the left side minus the right one is -1. So the equation has no solution. (x = 3 is "
     "excluded from the start.)", "no solution"),
    (ABS,
     "We get |x+4| = -2. There is no real x with a negative absolute value, so there are no solutions."
     " Setting x + 4 = 2 would give x = -2, which isn't a solution.", "no solution"),
    (SYS,
     "Doubling the first equation gives 2x + 2y = 6, and 6 ≠ 7. Therefore the system has no solution.", "no solution"),
    (MON,
     "26 days are left in January, 28 in February, 31 in March, which makes 85. Fifteen more days lead"
     " to April 15, so the bill is due in April.", "April"),
    (COL, "7 red, 12 blue, 9 green: so there are the most of blue.", "blue"),
    (REACT, "ΔH is negative, which means that heat is given off. So the reaction is exothermic.", "exothermic"),
    (FLOAT, "0.8 is less than 1, the density of water in g/cm^3. Therefore the cube floats.", "floats"),
    (TF, "A matrix with determinant 0 is singular. So the statement is false.", "False"),
    (OLD, "Comparing 12, 15 and 9, we see that Ben is the oldest. He is three years ahead of the next one.", "Ben"),
    (RAT, "With x = 0.1212… we get 99x = 12, x = 4/33. Hence the number is rational.", "rational"),
    (HALF,
     "P loses 30 degrees in 5 minutes, that is 6 per minute; Q loses 15 in 3, that is 5 per minute. So"
     " beaker P cools faster.", "P"),
    (TRAIN,
     "Train A needs 2.5 hours and arrives at 10:30. Train B needs 1 hour 40 minutes and arrives at "
     "10:10. So Train B reaches the station first, with 20 minutes to spare.", "Train B"),
    (GAS,
     "Molar masses: 28 g/mol against 32 g/mol. At the same temperature and pressure the heavier "
     "molecule wins: O₂ has the greater density.", "O_2"),
    (ACID, "4.2 < 7, so the solution is acidic. A basic solution would have a pH above 7.", "acidic"),
    (EIG,
     "The eigenvalue 1 has multiplicity two but only one eigenvector. Therefore the matrix is not "
     "diagonalizable.", "No"),
    (CONT,
     "The one-sided slopes at 0 are -1 and 1. Hence f is not differentiable at x = 0. It is continuous"
     " there.", "No"),
    (ENOUGH, "7 rolls cover 35 m^2, and the wall has 36 m^2. So 7 rolls will not be enough.", "No"),
    (TRIQ,
     "3 + 4 = 7 < 8, which violates the triangle inequality. So 3, 4 and 8 cannot be the sides of a "
     "triangle.", "No"),
    (SQ,
     "44^2 = 1936 and 45^2 = 2025, so 2024 lies between two neighbouring squares. There is no integer "
     "whose square is 2024.", "No"),
    (LUX, "Lina saves 624 euros, Max 600 euros. So Lina saves more, by 24 euros.", "Lina"),
    (MEET, "2023 has 365 days, and 365 = 52 · 7 + 1. Therefore 1 January 2024 is a Monday.", "Monday"),
    (SHIFT,
     "The fifth shift comes 4 · 6 = 24 days after the first, and 24 = 3 · 7 + 3. Three days after a "
     "Monday it is Thursday, so her fifth shift falls on a Thursday.", "Thursday"),
    (CRIT, "f'(3) = 0 and f''(3) = 36 > 0. So f has a minimum at x = 3.", "minimum"),
    (RCOL,
     "50 = 12 · 4 + 2, so the 50th bead has the same colour as the second. Hence the 50th bead is "
     "green.", "green"),
    (EQ, "4n = 3 would make n = 3/4. That is not an integer, so there is no solution.", "no solution"),
    (OPT2,
     "By the chain rule the derivative is cos(2x) times 2. That leaves option (B). Option (D) would "
     "need another rule.", "B"),
    (OPT2, "The inner derivative is 2, the outer one is the cosine. So option (B) is the right choice.", "B"),
    (OPT3, "The data are skewed to the right, which pulls the mean up. Therefore B is the correct choice.", "B"),
    (PAR, "Both x^3 and x change sign with x, so f(x) is an odd function.", "odd"),
    (LINES, "Slopes 2 and 2, intercepts 1 and -1.5: the lines are parallel.", "parallel"),
]  # fmt: skip
WRONG = [
    (DUE, "45 = 42 + 3. After 42 days it is a Wednesday again. So three days are left.", "Wednesday"),
    (DUE, "45 = 42 + 3. So it is due on a Saturday. If Paul keeps it for 42 days, it is a Wednesday.", "Wednesday"),
    (DUE, "Six weeks later it is a Wednesday again.", "Wednesday"),
    (APR, "March 31 is a Sunday, and April 7 is a Sunday. So April 10 comes three days later.", "Sunday"),
    (APR, "So May 10 is a Friday.", "Friday"),
    (APR, "So April 5 is a Friday.", "Friday"),
    (DAY, "98 days from now it is a Friday.", "Friday"),
    (DAY, "So it will be a Saturday, which is one day before Sunday.", "Sunday"),
    (DAY, "So it will be a Sunday, or, if today counts, a Saturday.", "Sunday"),
    (LEO, "So Tom was the fastest, with Leo in second place just ahead of Aisha.", "Tom"),
    (LEO, "So Tom was the fastest, with Leo in second place just ahead of Aisha.", "Aisha"),
    (LEO, "Leo was faster than Aisha. So Tom was the fastest.", "Leo"),
    (ELEC, "Without the second ballot, Brandt got the most votes.", "Brandt"),
    (ELEC, "Adair got the most votes in the first hour, Brandt later.", "Adair"),
    (ELEC, "Cho got the least votes, so Adair got more votes.", "Adair"),
    (SHOP, "Shop A has the lowest price, $2.85. Shop B has the lowest price per kilogram.", "Shop A"),
    (SHOP, "Except for Shop B, Shop A has the lowest price per kilogram.", "Shop A"),
    (SHOP, "Shop B has a higher price per kilogram than Shop A.", "Shop B"),
    (LIM, "**The limiting reactant is oxygen (O₂).** So H2 is left.", "H2"),
    (LIM, "H2 is not the limiting reactant.", "H_2"),
    (LIM, "The limiting reactant is either H2 or O2.", "O_2"),
    (EXC, "The limiting reactant is N2, so H2 is in excess.", "N_2"),
    (VEC, "If the determinant is 0, the vectors are linearly dependent.", "No"),
    (VEC, "The first two vectors are linearly independent.", "Yes"),
    (VEC, "The determinant is not 0, so the vectors are linearly independent.", "No"),
    (CONS, "The field G is conservative, F is not.", "Yes"),
    (CONS, "A field is conservative if its curl vanishes.", "Yes"),
    (CONS, "The field is conservative only on the x-axis.", "Yes"),
    (PRIME, "13 and 17 are prime. So 13 is a prime number.", "Yes"),
    (PRIME, "If 221 has no divisor up to 14, it is a prime number.", "Yes"),
    (PRIME, "223 is a prime number.", "Yes"),
    (INV, "The matrix does not have an integer inverse.", "No"),
    (INV, "The transpose has an inverse.", "Yes"),
    (FIT, "The box is large enough to hold 400 ml of water.", "Yes"),
    (FIT, "A larger box is enough to hold the water.", "Yes"),
    (ALL, "11 and 31 are prime.", "Yes"),
    (ALL, "Some of the numbers are prime.", "Yes"),
    (ALL, "The number 21 is not prime, but 11 and 31 are prime numbers.", "Yes"),
    (SER, "The harmonic series diverges, while the given series converges.", "diverges"),
    (SER, "The given series diverges or converges, depending on n.", "diverges"),
    (SER, "The series of absolute values diverges, so the test tells us nothing.", "diverges"),
    (INT, "The first piece diverges. So the value is -3/2.", "diverges"),
    (INT, "The integral diverges. Its value is -3/2.", "diverges"),
    (INT, "The integral does not diverge, its value is -3/2.", "diverges"),
    (PAR, "x^3 is odd.", "odd"),
    (PAR, "The function is not odd.", "odd"),
    (PAR, "The function is even, not odd.", "odd"),
    (MONO, "f is increasing on (-3, -1).", "increasing"),
    (MONO, "f' is decreasing on (-1, 0) and increasing on (0, 1).", "decreasing"),
    (TRI, "So the triangle is not acute, it is obtuse.", "acute"),
    (TRI, "The triangle is acute or right.", "acute"),
    (TRI, "The right answer needs the cosine rule.", "right"),
    (LINES, "Perpendicular lines have slopes with product -1.", "perpendicular"),
    (LINES, "The lines are not parallel.", "parallel"),
    (LINES, "The lines are not parallel, so they are perpendicular.", "parallel"),
    (OPT, "That leaves option (C), but its constant spoils it.", "C"),
    (OPT, "That leaves option (C) or option (B).", "C"),
    (OPT, "Option (C) is not odd.", "C"),
    (NOPT, "(A) is prime.", "A"),
    (NOPT, "(A) is not divisible by 2, and (B) is not prime.", "A"),
    (NS, "For x = 3 the equation has no solution. So x = 5.", "no solution"),
    (NS, "The second case has no solution, the first one gives x = 5.", "no solution"),
    (NS, "There is no solution below 3.", "no solution"),
    (ABS, "In the case x < -4 there is no solution. The other case gives x = 2.", "no solution"),
    (ABS, "In the case x < -4 there is no solution.", "no solution"),
    (SYS, "The first equation alone has no solution in naturals.", "no solution"),
    (SYS, "For y = 3 there is no solution.", "no solution"),
    (MON, "March has 31 days, so the bill is due in April.", "March"),
    (MON, "The bill is due in March or April.", "April"),
    (MON, "The bill was written in January.", "January"),
    (COL, "There are the most of blue or green.", "blue"),
    (COL, "There are more red than green.", "red"),
    (COL, "Without the blue ones, there are the most of green.", "green"),
    (REACT, "The reaction is not exothermic.", "exothermic"),
    (FLOAT, "A cube of iron sinks.", "sinks"),
    (FLOAT, "In oil the cube sinks.", "sinks"),
    (FLOAT, "The cube does not float.", "floats"),
    (TF, "If the matrix is singular, the statement is false.", "False"),
    (OLD, "Next year Ann is the oldest.", "Ann"),
    (OLD, "Who is older than Ann? Ben is.", "Ann"),
    (OLD, "Ann is older than Carl. Ben is the oldest.", "Ann"),
    (CHEAP, "Anker is cheaper for 8 rolls.", "Anker"),
    (CHEAP, "Anker is cheaper per roll on Mondays.", "Anker"),
    (CHEAP, "Anker is cheaper at first sight, but per roll Brot is cheaper.", "Anker"),
    (RAT, "An irrational number has no period.", "irrational"),
    (HALF, "Beaker Q cools faster in the first minute.", "Q"),
    (HALF, "Beaker P cools faster than before.", "P"),
    (HALF, "P cools to 60 degrees, Q faster.", "P"),
    (TRAIN, "Train A, which leaves first, reaches the station at 10:30.", "Train A"),
    (TRAIN, "Train A leaves first, so Train B reaches the station later.", "Train A"),
    (GAS, "At a higher pressure N2 has the greater density.", "N_2"),
    (GAS, "N2 has the greater volume, O2 the smaller.", "N_2"),
    (GAS, "The gas with the greater density than N2 is the other one.", "N_2"),
    (ACID, "A neutral solution has pH 7.", "neutral"),
    (ACID, "The solution is not basic.", "basic"),
    (ACID, "The solution is less acidic than vinegar.", "basic"),
    (EIG, "If the matrix had two eigenvectors, it would be diagonalizable.", "Yes"),
    (EIG, "A matrix with distinct eigenvalues is diagonalizable.", "Yes"),
    (EIG, "The transpose is not diagonalizable. The matrix is diagonalizable.", "No"),
    (CONT, "f is not differentiable at x = 1.", "No"),
    (CONT, "f is differentiable.", "No"),
    (CONT, "f is differentiable for x > 0.", "Yes"),
    (GROUP, "Z_4 is isomorphic to Z_4.", "Yes"),
    (GROUP, "Z_4 and Z_5 are not isomorphic.", "No"),
    (ENOUGH, "8 rolls will be enough.", "Yes"),
    (ENOUGH, "7 rolls will be enough for 35 m^2.", "Yes"),
    (ENOUGH, "6 rolls will not be enough.", "No"),
    (TRIQ, "3 and 4 can be the sides of a triangle.", "Yes"),
    (TRIQ, "The sides of a right triangle can be 3, 4 and 5.", "Yes"),
    (SQ, "There is an integer whose square is 2025.", "Yes"),
    (SQ, "There is no integer whose square is 2025.", "No"),
    (SQ, "There is no even integer whose square is 2024.", "No"),
    (LUX, "In December Max saves more.", "Max"),
    (LUX, "Max saves 50 euros, which is more.", "Max"),
    (LUX, "Lina saves more, unless Max gets a bonus.", "Lina"),
    (MEET, "364 days later it is a Sunday. One day is left.", "Sunday"),
    (MEET, "So 1 January 2024 is a Monday, or a Tuesday in a leap year.", "Monday"),
    (MEET, "So 1 January 2024 is not a Sunday.", "Sunday"),
    (SHIFT, "Her shift is on a Sunday, then on a Saturday, and so on.", "Sunday"),
    (CRIT, "f has a maximum at x = 0.", "maximum"),
    (CRIT, "So f has a minimum at x = 2.", "minimum"),
    (CRIT, "f' has a maximum at x = 3.", "maximum"),
    (RCOL, "The 48th bead is yellow.", "yellow"),
    (RCOL, "The 50th bead is green or blue.", "green"),
    (EQ, "There is no solution in the case n = 0, so n = 1.", "no solution"),
    (EQ, "There is no solution with n even.", "no solution"),
    (EQ, "There is no solution? n = 2 works.", "no solution"),
    (OPT2, "That leaves options (B) and (C).", "C"),
    (OPT2, "This rules out (B), which leaves (C) as a possibility.", "C"),
    (OPT2, "(B) is correct for x = 0 only.", "B"),
    (OPT3, "A is true for symmetric data.", "A"),
    (OPT3, "B is not true.", "B"),
    (REACT, "Endothermic reactions have a positive ΔH.", "endothermic"),
    (TF, "The statement is true for determinant 1.", "True"),
    (TF, "The statement is not true.", "True"),
    (RACE, "Jon came first, Lea second. If Ida had fallen, Kai came third.", "Kai"),
    (RACE, "Jon would say that Kai came third.", "Kai"),
    (RACE, "Kai finished after Ida, who came third.", "Kai"),
    (ALTERNATING, "The sequence (-1)^n is not convergent.", "No"),
    (ALTERNATING, "A sequence is convergent if it has a limit.", "Yes"),
    (ALTERNATING, "The sequence of absolute values is convergent.", "Yes"),
    (SIMILAR, "The triangles are similar to 9, 12, 15 only if they are right.", "Yes"),
    (SIMILAR, "The triangles with sides 3, 4, 5 and 6, 8, 11 are not similar.", "No"),
    (SIMILAR, "Two right triangles are not always similar.", "No"),
    (ROOTS, "The equation x^2 + 2x = 0 has real solutions.", "Yes"),
    (ROOTS, "The equation has complex solutions.", "Yes"),
    (ROOTS, "The equation has real solutions only for c < 1.", "Yes"),
    (JUNE, "42 days after the 4th of May it is a Thursday.", "Thursday"),
    (DENSITY, "Its volume increases.", "increases"),
    (DENSITY, "The temperature does increase.", "increases"),
    (DENSITY, "So the density of the air increases.", "increases"),
    (INVEST, "After 1 year investment X is worth more than before.", "X"),
    (INVEST, "Investment X is worth more after 1 year.", "X"),
    (INVEST, "Investment X is worth $1102.50 after 2 years, which is more.", "X"),
    (COSINE, "cos(20°) is positive.", "positive"),
    (LINEAR, "2x = 2x has no solution other than all x.", "no solution"),
    (LINEAR, "The equation 6 = 5 has no solution in x, so x = 0.", "no solution"),
    (ZINC, "Option (B) is not the correct one.", "B"),
    (ZINC, "Option (B) is correct if electrons are gained.", "B"),
    (ZINC, "So (B) is reduced, which leaves (A) or (C).", "A"),
    (MERSENNE, "The number 2^31 is even.", "yes"),
    (MERSENNE, "The number 2^31 - 2 is even.", "yes"),
    (MERSENNE, "The number 2^31 + 1 is not even.", "no"),
    (COLLINEAR, "The points (1, 1) and (2, 3) lie on one line.", "Yes"),
    (COLLINEAR, "Two points always lie on one line.", "Yes"),
    (COLLINEAR, "The points lie on one plane.", "Yes"),
    (NINES, "0.99 is not equal to 1.", "No"),
    (NINES, "9 · 0.111... is equal to 1.", "Yes"),
    (NINES, "No finite part of it is equal to 1.", "No"),
    (SQUARE_SUM, "The first 100 numbers are odd, so 100 is a perfect square.", "Yes"),
    (SQUARE_SUM, "The sum of the first 100 even numbers is not a perfect square.", "No"),
    (SQUARE_SUM, "The sum of the first 99 odd numbers is a perfect square.", "Yes"),
    (MEET_LINES, "The lines y = 3x - 1 and y = 2x + 4 intersect.", "Yes"),
    (MEET_LINES, "The lines intersect the y-axis.", "Yes"),
    (MEET_LINES, "Lines with different slopes intersect.", "Yes"),
    (INVERTIBLE, "A matrix is invertible if its determinant isn't 0.", "Yes"),
    (INVERTIBLE, "The matrix A - 2I is invertible.", "Yes"),
    (INVERTIBLE, "B is invertible.", "Yes"),
    (GREATER, "2/5 is greater than 3/7.", "Yes"),
    (GREATER, "3/5 is greater than 2/7.", "Yes"),
    (GREATER, "3 is greater than 2.", "Yes"),
    (SHARE, "She can share 20 apples equally among her friends.", "Yes"),
    (SHARE, "Her friends can share the apples equally with her.", "Yes"),
    (SHARE, "Without her, the friends can share the apples equally.", "Yes"),
    (INVERSE, "f has an inverse on the positive real line.", "Yes"),
    (INVERSE, "The function does have an inverse for x > 0.", "Yes"),
    (INVERSE, "Not every function has an inverse on the whole real line.", "No"),
    (PLANETS, "Arda is the smallest but one.", "Arda"),
    (PLANETS, "Arda is the smallest of the larger planets.", "Arda"),
    (PLANETS, "Except Brin, Arda is the smallest.", "Arda"),
    (SALT, "KNO3 is more soluble in hot water.", "KNO3"),
    (SALT, "KNO3 is more soluble in water at 60 °C.", "KNO3"),
    (SALT, "KNO3 is no more soluble than NaCl.", "KNO3"),
    (INTEGRAL, "The integral from 0 to 1 diverges.", "diverges"),
    (INTEGRAL, "The integral of 1/x diverges.", "diverges"),
    (INTEGRAL, "The integral of 1/x from 1 to infinity diverges.", "diverges"),
    (SADDLE, "Along the x-axis it is a minimum.", "minimum"),
    (SADDLE, "Along the x-axis, the point is a minimum.", "minimum"),
    (SADDLE, "f has a minimum on the x-axis.", "minimum"),
    (METER, "My meter was read on a Sunday.", "Sunday"),
    (METER, "Four weeks later it is read on a Sunday.", "Sunday"),
    (METER, "So the last reading was on a Sunday.", "Sunday"),
    (QUARTIC, "For x > 0 there are no real solutions. By symmetry x = -1.", "no solution"),
    (QUARTIC, "u = -2 gives no real solutions. u = 1 gives x = 1.", "no solution"),
    (QUARTIC, "There are no real solutions larger than 2.", "no solution"),
    (BOXES, "The red box is heavier, so the second heaviest is blue.", "red"),
    (BOXES, "The green box is the heaviest.", "green"),
    (BOXES, "Without the green box, the blue box is the second heaviest.", "blue"),
    (CITIES, "Oslo is warmer in winter.", "Oslo"),
    (CITIES, "Oslo is warmer than Bergen.", "Oslo"),
    (CITIES, "Turin is warmer. Oslo is warmer at night.", "Oslo"),
    (CONVERSE, "If x is positive, the statement is true.", "true"),
]  # fmt: skip
TWO = [  # a message and the alternatives of which it says one
    (LEO, "So Tom was the fastest, with Leo in second place just ahead of Aisha.", ("Leo", "Tom", "Aisha")),
    (PAR, "f(-x) = -f(x), so f is odd. An even function would have f(-x) = f(x) instead.", ("odd", "even", "neither")),
    (DAY, "98 days from now it's Friday again, so 100 days from now it's a Sunday.", ("Sunday", "Friday", "Saturday")),
    (OPT, "A and D are even. That leaves option (C). Option (B) would need no constant.", ("C", "A", "B", "D")),
]


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_a_word_that_is_said_of_what_is_asked_is_paid(question, message, gold):
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_a_word_that_is_said_of_something_else_earns_nothing(question, message, gold):
    assert not verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "golds"), TWO)
def test_one_alternative_is_paid(question, message, golds):
    assert [gold for gold in golds if verify(message, gold, question=question).correct] == [golds[0]]


def test_an_opening_yes_is_not_paid_where_the_end_says_no():
    assert not verify("Yes, the terms tend to 0. But like its neighbour, the series diverges.", "Yes",
                      question="Is the series with the terms 1/n convergent?").correct  # fmt: skip
    assert verify("Yes, by comparison with 1/n^2. So the series converges.", "Yes",
                  question="Does the series with the terms 1/(n^2+1) converge?").correct  # fmt: skip


@pytest.mark.parametrize("unit", ["so ", "a, ", "it is ", "the series diverges, ", "not ", ", and ", "no ", "f(x) "])
@pytest.mark.parametrize(("question", "gold"), [(DUE, "Saturday"), (LEO, "Leo"), (VEC, "No"), (SER, "diverges")])
def test_hostile_messages_cost_little(unit, question, gold):
    with at_most(millions=40):
        verify(unit * (9_000 // len(unit)) + gold, gold, question=question)
