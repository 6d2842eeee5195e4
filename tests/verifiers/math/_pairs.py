"""Pairs of an answer and a gold, as sources of trees: right ones and wrong ones."""

RIGHT = """
7 | 7
2/4 | 1/2
0.5 | 1/2
1/2 | 0.5
0.50 | 0.5
-3 | Neg(3)
-1/2 | 1/-2
1e3 | 1000
2**10 | 1024
(1/2)**-3 | 8
factorial(5) | 120
binomial(5, 2) | 10
permutations(5, 2) | 20
double_factorial(7) | 105
gcd(12, 18) | 6
max(1, 5, 3) | 5
floor(7/2) | 3
ceil(7/2) | 4
abs(-3) | 3
log(8, 2) | 3
floor(sqrt(17)) | 4
sum(k, 1, 10, k**2) | 385
product(k, 1, 5, k) | 120
det(mat((1, 2), (3, 4))) | -2
sqrt(2)/2 | 1/sqrt(2)
sqrt(12) | 2*sqrt(3)
sqrt(3 + 2*sqrt(2)) | 1 + sqrt(2)
cbrt(2 + sqrt(5)) + cbrt(2 - sqrt(5)) | 1
sqrt(2)*sqrt(3) | sqrt(6)
cbrt(-8) | -2
(-8)**(1/3) | -2
8**(2/3) | 4
2**(1/2) | sqrt(2)
sin(pi/6) | 1/2
sin(30 @ deg) | 1/2
sin(60 @ deg) | sqrt(3)/2
tan(pi/8) | sqrt(2) - 1
cos(pi/5) | (1 + sqrt(5))/4
sin(pi) | 0
arctan(1) | pi/4
arcsin(1) | pi/2
arccos(-1) | pi
4*arctan(1/5) - arctan(1/239) | pi/4
ln(e**2) | 2
ln(8) | 3*ln(2)
exp(1) | e
e**(i*pi) | -1
(1 + i)**2 | 2*i
1/(1 + i) | (1 - i)/2
abs(3 + 4*i) | 5
sqrt(-4) | 2*i
i**i | e**(-pi/2)
e**(i*pi/3) | 1/2 + sqrt(3)/2*i
(10**60 + i)**2 | 10**120 - 1 + 2*10**60*i
cosh(ln(2)) | 5/4
arsinh(3/4) | ln(2)
3**100000 | 3**99999*3
2**(2**10) | 4**512
inf | inf
-inf | -inf
1 + x | x + 1
(x + 1)**2 | x**2 + 2*x + 1
(x**2 - 1)/(x - 1) | x + 1
x*(y + z) | x*y + x*z
(a + b)*(a - b) | a**2 - b**2
sin(x)**2 + cos(x)**2 | 1
2*sin(x)*cos(x) | sin(2*x)
e**(2*x) | (e**x)**2
2**(n + 1) | 2*2**n
sqrt(x**2) | abs(x)
abs(x)**2 | x**2
x**(3/2) | x*sqrt(x)
ln(x**2) | 2*ln(x)
ln(x/y) | ln(x) - ln(y)
log(x, 2) | ln(x)/ln(2)
1/sec(x) | cos(x)
cbrt(x) | x**(1/3)
n*factorial(n - 1) | factorial(n)
sum(k, 1, n, k) | n*(n + 1)/2
sum(j, 1, n, j) | sum(k, 1, n, k)
binomial(n, 2) | n*(n - 1)/2
cos(n*pi) | (-1)**n
f(x + 1) + 1 | 1 + f(1 + x)
conj(3 + 4*i) | 3 - 4*i
re(z) | re(z) + 0
abs(x - 100) | abs(100 - x)
3.14159 | pi
3.141592 | pi
3.141593 | pi
0.333333 | 1/3
2/3 | 0.666667
0.6666666 | 2/3
1.414214 | 1.41421356
1.41421356 | 1.414214
-0.333333 | -1/3
0.333333*x | x/3
1.57080 | pi/2
3.14159265*r**2 | pi*r**2
0.5*x | x/2
pct(50) | pct(50)
0.5 | pct(50)
50 | pct(50)
pct(50) | 50
pct(50) | 1/2
pct(33.3333) | 1/3
5 | 5 @ cm
5 @ cm | 5
1 @ m | 100 @ cm
36 @ deg | pi/5
pi/5 | 36 @ deg
36 | 36 @ deg
36 @ deg | 36
pi/5 @ rad | 36 @ deg
36 @ kmh | 10 @ ms
5 @ ft + 3 @ inch | 63 @ inch
2 @ hour + 30 @ minute | 150 @ minute
2.5 @ hour | 2 @ hour + 30 @ minute
77 @ degF | 25 @ degC
150 @ cent | 1.50 @ usd
12 @ apples | 12
12 | 12 @ apples
12 @ red_apples | 12 @ apples
0.333333 @ m | 100/3 @ cm
10 @ m / (2 @ second) | 5 @ ms
30 @ square_units | 30 @ cm2
3*x @ cm | 3*x
-5 @ degC | -5
L(2, 1) | L(1, 2)
{2, 1} | L(1, 2)
{1, 2, 2} | {1, 2}
L(1, 2, 3) | (1, 2, 3)
(1, 2) | L(1, 2)
(1/2, 2) | (0.5, 2)
(1, 2, 3) | [1, 2, 3]
ang(1, 2) | (1, 2)
ang(1, 2) | mat((1,), (2,))
(1, 2) | mat((1, 2),)
x == 1 or x == 2 | L(1, 2)
L(x == 1, x == 2) | {2, 1}
L(x == 1, 2) | L(1, 2)
x == L(1, 2) | L(2, 1)
1 or 2 | L(1, 2)
pm(3) | L(-3, 3)
x == pm(3) | {3, -3}
pm(1, sqrt(2)) | L(1 - sqrt(2), 1 + sqrt(2))
L(0, pm(2)) | {-2, 0, 2}
(3 + 1)/2 | 2
pm(0, 3)/2 | {3/2, -3/2}
L((1, 2), (3, 4)) | {(3, 4), (1, 2)}
{(1, 2), (3, 4)} | L((3, 4), (1, 2))
{5} | 5
5 | {5}
[5] | 5
L(x == 1, y == 2) | x == 1 and y == 2
L(y == 2, x == 1) | L(x == 1, y == 2)
(1, 2) | L(x == 1, y == 2)
L(x == 1, y == 2) | (1, 2)
(x, y) == (1, 2) | (1, 2)
(x, y) == (1, 2) | L(y == 2, x == 1)
L(1, 2, dots, n) | L(1, 2, dots, n)
L(sqrt(4), 3) | L(3, 2)
5 | x == 5
x == 5 | 5
5 == x | x == 5
x == 10/2 | x == 5
x == 2 + 3 == 5 | 5
1/2 == 0.5 | 1/2
2 + 3 == 5 | 5
a + b == 5 | 5
A**2 == mat((1, 2), (3, 4)) | mat((1, 2), (3, 4))
abs(z) == 5 | 5
f(2) == 5 | 5
S == n*(n + 1)/2 == 10*11/2 == 55 | 55
is_approx(pi/4, 0.785) | pi/4
is_approx(A, pi/4, 0.785) | pi/4
f(x) == x**2 | x**2
f(x) == (x + 1)**2 == x**2 + 2*x + 1 | (x + 1)**2
y == x**2 | x**2
x**2 | y == x**2
f(x) == 2*x | y == 2*x
x**2 | f(x) == x**2
2*x + 3*y == 6 | 4*x + 6*y == 12
2*x - y + 1 == 0 | y == 2*x + 1
y - 1 == 2*x | y == 2*x + 1
(x - 1)**2 + (y - 2)**2 == 4 | x**2 + y**2 - 2*x - 4*y + 1 == 0
x + y < 3 | 3 > x + y
-2*x - 2*y > -6 | x + y < 3
x*sqrt(2) + y == 0 | 2*x + y*sqrt(2) == 0
mod(x == 3, 7) | mod(x == 3, 7)
mod(x == 10, 7) | mod(x == 3, 7)
mod(3, 7) | mod(x == 3, 7)
1 < x < 2 | (1, 2)
(1, 2) | 1 < x < 2
1 < x <= 2 | oc(1, 2)
2 > x > 1 | (1, 2)
x > 3 | (3, inf)
3 < x | x > 3
oc(3, inf) | x > 3
x < 1 or x > 3 | union((-inf, 1), (3, inf))
L(x < 1, x > 3) | x > 3 or x < 1
x > 1 and x < 2 | (1, 2)
L(x > 0, x != 1) | union((0, 1), (1, inf))
minus(reals, {2}) | x != 2
union((-inf, 2), (2, inf)) | minus(reals, {2})
such(x, x > 0) | (0, inf)
such(x in reals, x > 0) | such(y, 0 < y)
x in (1, 2) | 1 < x < 2
x in {1, 2} | L(1, 2)
abs(x) < 3 | (-3, 3)
abs(x - 1) <= 2 | [-1, 3]
abs(x) > 2 | union((-inf, -2), (2, inf))
cap((0, 5), (3, 9)) | (3, 5)
union((0, 2), [1, 3]) | oc(0, 3)
union({1}, (1, 2)) | co(1, 2)
[-sqrt(2), sqrt(2)] | abs(x) <= 2**(1/2)
(-inf, inf) | reals
x in reals | reals
empty | empty
such(n in integers, 1 < n < 5) | {2, 3, 4}
(a, b) | a < x < b
such(pi/4 + k*pi, k in integers) | such(pi/4 + n*pi, n in integers)
such(pi*(4*n + 1)/4, n in integers) | such(pi/4 + k*pi, k in integers)
such(5*pi/4 + k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
L(x == pi/4 + k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
x == pi/4 + n*pi | L(x == pi/4 + k*pi, k in integers)
L(x == pi/4 + 2*k*pi or x == 5*pi/4 + 2*k*pi, k in integers) | L(x == pi/4 + k*pi, k in integers)
L(x == pm(pi/3) + 2*k*pi, k in integers) | L(x == pi/3 + 2*k*pi, x == -pi/3 + 2*k*pi, k in integers)
such(2*k + 1, k in integers) | such(2*k - 1, k in integers)
mat((1, 2), (3, 4)) | mat((1, 2), (3, 8/2))
2*mat((1, 2), (3, 4)) | mat((2, 4), (6, 8))
1/2*(2, 4) | (1, 2)
cases((x, x >= 0), (-x, x < 0)) | cases((-x, x < 0), (x, x >= 0))
cases((x, x >= 0), otherwise(-x)) | cases((x, x >= 0), (-x, x < 0))
f(x) == cases((1, x > 0), otherwise(0)) | cases((1, x > 0), otherwise(0))
ratio(2, 4) | ratio(1, 2)
ratio(1, 2) | 1/2
0.5 | ratio(1, 2)
ratio(2, 4, 6) | ratio(1, 2, 3)
f(x, y) | f(x, y)
x**3/3 + C | x**3/3 + c
(x + 1)**2/2 + C | x**2/2 + x + K
ln(abs(2*x)) + C | ln(abs(x)) + C
c*e**x | C*e**x
3*i - 2*j | 3*i - 2*j
1 + 1/2 + dots + 1/n | 1 + 1/2 + dots + 1/n
cos(120 @ deg) + i*sin(120 @ deg) | -1/2 + sqrt(3)/2*i
factorial(n)/(factorial(k)*factorial(n - k)) | binomial(n, k)
3.3333333333333335 | 10/3
f(x) == 1 + 2*x | f(x) == 2*x + 1
L(1, 2, dots, n) | L(1, 2, 3, dots, n)
L(1, 3, 5, dots) | L(1, 3, 5, 7, dots)
L(1, 2, 4, dots) | L(1, 2, 4, 8, dots)
{1, 2, 3, dots, 6} | {6, 5, 4, 3, 2, 1}
{6, 5, 4, 3, 2, 1} | {1, 2, dots, 6}
1 + 2 + 3 + dots + n | 1 + 2 + dots + n
such(2*n, n == L(1, 2, 3)) | {2, 4, 6}
such(2*n, L(n == 1, 2, 3)) | {2, 4, 6}
such(n**2, L(n in integers, abs(n) < 3)) | {0, 1, 4}
-x < -3 | x > 3
x - 3 > 0 | x > 3
3 - x <= 0 | x >= 3
y - 5 == 0 | y == 5
3*i - 2*j | ang(3, -2)
3*vector(i) - 2*vector(j) | (3, -2)
(2, -1, 5) | 2*i - j + 5*k
L(x_1 == 2, x_2 == -2) | L(x == -2, x == 2)
L(x_1 == 2, x_2 == -2) | {2, -2}
congruent(x, 4, 1, 5) | congruent(x, 1, 4, 5)
congruent(x, pm(1), 5) | congruent(x, 1, 4, 5)
"(B)" | "B"
B | "B"
"b" | B
"new  york." | "New York"
"true" | "Yes"
"3:30 p.m." | "3:30 PM"
"none" | empty
"does not exist" | "DNE"
subset(A, B) | subset(A, B)
"""


WRONG = """
7 | 8
1/3 | 1/2
0.33 | 1/3
0.3333 | 1/3
3.14 | pi
22/7 | pi
0.67 | 2/3
2/3 | 0.67
0.333334 | 1/3
3.14160 | pi
3.141594 | pi
1.5 | 1.52
1.6e-19 | 1.7e-19
1e-7 | 2e-7
1/factorial(20) | 1/factorial(21)
2**-60 | 2**-61
e**(pi*sqrt(163)) | 262537412640768744
123456789012345678901234567890 | 123456789012345678901234567891
1/factorial(2004) | 1/factorial(2006)
3**100000 | 3**100000 - 1
2**127000 | 1
10**60 + i | 10**60 + 2*i
sqrt(10**100 + 1) - 10**50 | 0
e**-1000 | 0
-1 | 1
0 | inf
-inf | inf
1/0 | inf
1/0 | 5
i | -i
i | 1
2*i | 2
x | y
x + 1 | x + 2
(a + b)/2 | a + b/2
1/(a + b) | 1/a + b
x**(2*y) | x**2*y
abs(x) | x
sqrt(x**2) | x
2*ln(x) | ln(x**2)
sqrt(x)*sqrt(x) | abs(x)
abs(x - 100) | 100 - x
sin(x) | x
cbrt(5) | sqrt(5)
f(x) | g(x)
f(x + 1) | f(x)
arctan(x) + arctan(1/x) | pi/2
(x + 1)**20 | x**20 + 1
x + 1e-30 | x
0.333334*x | x/3
0.33*x | x/3
3.14*r**2 | pi*r**2
n | factorial(n)
n*(n - 1)/2 | sum(k, 1, n, k)
12 | 0.12
0.12 | 12
pct(12) | 0.012
0.5 | 50
500 | pct(50)
5 @ cm | 5 @ m
2 @ hour | 2 @ minute
25 @ degC | 25 @ degF
5 @ usd | 5 @ eur
12 @ apples | 12 @ pears
12 @ apples | 12 @ cm
6 @ usd | 5 @ usd
100 | 1 @ m
36 | pi/5
30 @ deg | 30 @ rad
5 @ ft + 3 @ inch | 64 @ inch
63 | 5 @ ft + 3 @ inch
8 | 5 @ ft + 3 @ inch
5 @ cm | 5 @ cm2
36 @ kmh | 36 @ ms
L(1, 2, 3) | L(1, 2)
1 | L(1, 2)
L(1, 2) | 1
5 or 6 | 5
L(4, 5) | 5
x == 5 or x == 6 | 5
x == 5 or x == 6 | x == 5
pm(5) | 5
5 | pm(5)
(2, 1) | (1, 2)
(2, 1) | L(1, 2)
L(2, 1) | (1, 2)
{1, 2} | (1, 2)
(1, 2) | [1, 2]
(1, 2, 3) | (1, 2)
L(1, 1, 2) | L(1, 2, 2)
L(1, 1) | L(1, 2)
L(1, 2, dots, n) | L(1, 3, dots, n)
L(1, 2, dots, n) | L(1, 3, dots, 2*n - 1)
ratio(1, 2, 3) | ratio(1, 3, 2)
ratio(1, 2) | 2
ratio(1, 2) | ratio(2, 1)
L(x == 2, y == 1) | L(x == 1, y == 2)
L(x == 1, y == 2) | L(x == 1, z == 2)
(2, 1) | L(x == 1, y == 2)
L(x == 1, y == 2) | L(x == 1, x == 2)
L(x == 1, y == 2) | 1
x == 5 | y == 5
y == 5 | x == 5
x + 2 == 5 | 5
x + y == 5 | 5
x**2 == 4 | 4
2*x - y + 1 == 0 | 0
x + 5 == 0 | 0
2*x == 10 | x == 5
2*x == 10 | 10
x == 4 == 5 | 5
2 + 2 == 5 | 5
x == 5 == 4 | 5
is_approx(pi/4, 0.9) | pi/4
2*x + 3*y == 6 | 3*x + 2*y == 6
2*x + 3*y == 6 | 2*x + 3*y == 7
5 | x + y == 5
y == 2*x | y == 2*x + 1
y == x**2 | z == x**2
x == x**2 + 1 | x**2 + 1
x + y < 3 | x + y > 3
x + y <= 3 | x + y < 3
x + y != 3 | x + y == 3
-x - y < 3 | x + y < 3
mod(x == 3, 7) | mod(x == 4, 7)
mod(x == 3, 7) | mod(x == 3, 8)
3 | mod(x == 3, 7)
1 < x < 2 | [1, 2]
1 < x <= 2 | co(1, 2)
x > 3 | [3, inf]
x >= 3 | x > 3
x < 3 | x > 3
y > 3 | x > 3
2*x > 6 | x > 3
x < 1 and x > 3 | x < 1 or x > 3
x > 3 | union((-inf, 1), (3, inf))
union((-inf, 1), (3, inf)) | union((-inf, 1), (4, inf))
reals | x != 2
empty | reals
0 | empty
abs(x) < 3 | [-3, 3]
{1, 2} | [1, 2]
{2, 3} | such(n in integers, 1 < n < 5)
such(pi/4 + k*pi, k in integers) | pi/4
pi/4 | such(pi/4 + k*pi, k in integers)
such(pi/4 + 2*k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
such(pi/3 + k*pi, k in integers) | such(pi/4 + k*pi, k in integers)
such(2*k, k in integers) | such(2*k + 1, k in integers)
such(2*k, k in naturals) | such(2*k, k in integers)
mat((1, 2), (3, 4)) | mat((1, 3), (2, 4))
mat((1, 2),) | mat((1,), (2,))
mat((1, 2), (3, 4)) | L(1, 2, 3, 4)
det(mat((1, 2), (3, 4))) | 2
cases((-x, x >= 0), (x, x < 0)) | cases((x, x >= 0), (-x, x < 0))
cases((x, x > 0), (-x, x <= 0)) | cases((x, x >= 0), (-x, x < 0))
x | cases((x, x >= 0), (-x, x < 0))
cases((x, x >= 0), otherwise(x)) | cases((x, x >= 0), (-x, x < 0))
x**3/3 | x**3/3 + C
x**2 + C | x**3 + C
x**3/3 + C | x**3/3
x**3/3 + x | x**3/3 + C
3*i + 2*j | 3*i - 2*j
1 + 1/2 + dots + 1/n | 1 + 1/3 + dots + 1/n
(5, 2) | empty
empty | (6, -3)
y == 1 and y == -1 | empty
ceil(n/3) | floor(n/3) + 1
ceil(x) | floor(x) + 1
inf**0 | 1
12345678901234567.8 | 12345678901234567
L(1, 2, dots, n) | L(1, 2, 4, dots, n)
L(1, 2, 3, dots) | L(1, 2, 4, dots)
{1, 2, dots, 10} | {1, 2, dots, 11}
3*i + 2*j | ang(3, -2)
i*j | ang(1, 1)
congruent(x, 4, 2, 5) | congruent(x, 1, 4, 5)
-x < 3 | x > 3
x + 5 == 0 | x == 5
"A" | "B"
"Not B" | "B"
"B or C" | "B"
"B" | "no"
"yes" | "no"
"five" | 5
"... or 5" | 5
5 | "5 apples are left"
"undefined" | 0
1/0 | "undefined"
x == 1 and x == 2 | 1
empty | {0}
subset(A, B) | subset(B, A)
times(reals, integers) | times(integers, reals)
"""


def pairs_of(table):
    return [tuple(part.strip() for part in line.split("|")) for line in table.splitlines() if line]
