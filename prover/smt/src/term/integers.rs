//! Integer terms: sums in a linear normal form, so that equal sums are equal terms.

use super::{Node, Sort, Term, Terms};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// Products of sums with more parts than this together are left as they are.
const MAX_DISTRIBUTED: usize = 36;

/// Products of more factors than this are not flattened.
const MAX_FACTORS: usize = 32;

impl Terms {
    /// An integer literal.
    pub fn int(&mut self, value: impl Into<BigInt>) -> Term {
        self.intern(Node::Int(value.into()), Sort::Int)
    }

    /// The literal an integer term is, if it is one.
    pub fn as_int(&self, term: Term) -> Option<&BigInt> {
        match self.node(term) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// An integer term as a constant and coefficients.
    pub fn linear_parts(&self, term: Term) -> (BigInt, Vec<(BigInt, Term)>) {
        match self.node(term) {
            Node::Int(value) => (value.clone(), Vec::new()),
            Node::Linear(constant, parts) => (constant.clone(), parts.to_vec()),
            _ => (BigInt::zero(), vec![(BigInt::one(), term)]),
        }
    }

    /// The sum of these parts, which are in the order of their terms.
    pub(super) fn linear(&mut self, constant: BigInt, mut parts: Vec<(BigInt, Term)>) -> Term {
        parts.retain(|(coefficient, _)| !coefficient.is_zero());
        match parts.as_slice() {
            [] => self.int(constant),
            [(coefficient, term)] if constant.is_zero() && coefficient.is_one() => *term,
            _ => self.intern(Node::Linear(constant, parts.into()), Sort::Int),
        }
    }

    /// `a + factor * b`
    fn add_scaled(&mut self, a: Term, factor: &BigInt, b: Term) -> Term {
        let (mut constant, mine) = self.linear_parts(a);
        let (other, theirs) = self.linear_parts(b);
        constant += factor * other;
        let mut sum: Vec<(BigInt, Term)> = Vec::with_capacity(mine.len() + theirs.len());
        let mut mine = mine.into_iter().peekable();
        for (coefficient, term) in theirs {
            while let Some(before) = mine.next_if(|(_, own)| *own < term) {
                sum.push(before);
            }
            let own = mine.next_if(|(_, own)| *own == term).map(|(own, _)| own).unwrap_or_default();
            sum.push((own + factor * coefficient, term));
        }
        sum.extend(mine);
        self.linear(constant, sum)
    }

    /// `a + b`
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, &BigInt::one(), b)
    }

    /// `a - b`
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, &-BigInt::one(), b)
    }

    /// `-a`
    pub fn neg(&mut self, a: Term) -> Term {
        let zero = self.int(0);
        self.sub(zero, a)
    }

    /// `a * b`; linear when one side is a literal.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        for (literal, other) in [(a, b), (b, a)] {
            if let Some(factor) = self.as_int(literal).cloned() {
                let zero = self.int(0);
                return self.add_scaled(zero, &factor, other);
            }
        }
        let (left, right) = (self.linear_parts(a), self.linear_parts(b));
        if left.1.len().max(1) * right.1.len().max(1) > MAX_DISTRIBUTED {
            return self.product(a, b);
        }
        // Sum by sum, so that equal polynomials are equal terms.
        let mut sum = self.int(left.0.clone() * right.0.clone());
        for (constant, parts) in [(&left.0, &right.1), (&right.0, &left.1)] {
            for (coefficient, part) in parts {
                sum = self.add_scaled(sum, &(constant * coefficient), *part);
            }
        }
        for (c, x) in &left.1 {
            for (d, y) in &right.1 {
                let product = self.product(*x, *y);
                sum = self.add_scaled(sum, &(c * d), product);
            }
        }
        sum
    }

    /// The product of two terms that are not taken apart further. A few factors make one product, so that their order does
    /// not matter; many are two products, as what is squared in a loop would double in length at each turn.
    fn product(&mut self, a: Term, b: Term) -> Term {
        let mut factors: Vec<Term> = [a, b]
            .iter()
            .flat_map(|term| match self.node(*term) {
                Node::Mul(parts) => parts,
                _ => std::slice::from_ref(term),
            })
            .copied()
            .take(MAX_FACTORS + 1)
            .collect();
        if factors.len() > MAX_FACTORS {
            factors = vec![a, b];
        }
        factors.sort_unstable();
        self.intern(Node::Mul(factors.into()), Sort::Int)
    }

    /// `a / b`, truncated towards zero as in Java. Meant for `b` not zero; the executor splits that case off.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            // BigInt's own division truncates.
            (Some(a), Some(b)) if !b.is_zero() => {
                let value = a / b;
                self.int(value)
            }
            (_, Some(b)) if b.is_one() => a,
            _ => self.intern(Node::Div(a, b), Sort::Int),
        }
    }

    /// `a % b` with the sign of `a`, as in Java.
    pub fn rem(&mut self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (Some(a), Some(b)) if !b.is_zero() => {
                let value = a % b;
                self.int(value)
            }
            (_, Some(b)) if b.is_one() => self.int(0),
            _ => self.intern(Node::Rem(a, b), Sort::Int),
        }
    }

    /// `a <= b`
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        self.at_most_zero(difference)
    }

    /// `a < b`
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let one = self.int(1);
        let next = self.add(a, one);
        self.le(next, b)
    }

    /// `t <= 0`, divided by the greatest common divisor of the coefficients (the constant rounds up).
    pub(super) fn at_most_zero(&mut self, t: Term) -> Term {
        if let Some(value) = self.as_int(t) {
            let holds = !value.is_positive();
            return self.bool(holds);
        }
        let (constant, parts) = self.linear_parts(t);
        let divisor = gcd_of(&parts);
        let t = if divisor.is_one() {
            t
        } else {
            // d*s + c <= 0  iff  s <= floor(-c / d)  iff  s - floor(-c / d) <= 0
            let bound = (-constant).div_floor(&divisor);
            let scaled = parts.into_iter().map(|(c, t)| (c / &divisor, t)).collect();
            self.linear(-bound, scaled)
        };
        self.intern(Node::AtMostZero(t), Sort::Bool)
    }

    /// `t == 0`, divided by the greatest common divisor, first coefficient positive.
    pub(super) fn is_zero(&mut self, t: Term) -> Term {
        if let Some(value) = self.as_int(t) {
            let holds = value.is_zero();
            return self.bool(holds);
        }
        let (constant, parts) = self.linear_parts(t);
        let mut divisor = gcd_of(&parts);
        if !(&constant % &divisor).is_zero() {
            return self.bool(false);
        }
        if parts[0].0.is_negative() {
            divisor = -divisor;
        }
        let scaled = parts.into_iter().map(|(c, t)| (c / &divisor, t)).collect();
        let t = self.linear(constant / divisor, scaled);
        self.intern(Node::IsZero(t), Sort::Bool)
    }
}

fn gcd_of(parts: &[(BigInt, Term)]) -> BigInt {
    parts.iter().fold(BigInt::zero(), |divisor, (coefficient, _)| divisor.gcd(coefficient))
}
