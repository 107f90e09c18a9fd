/** The check digit of an NPI is that of the number with this prefix (ISO 7812): health applications, United States. */
const PREFIX = '80840';

/** @returns nine digits and their check digit: an NPI. */
export function npiFrom(nineDigits: number): number {
  const sum = luhnSum(`${PREFIX}${nineDigits}0`);
  return nineDigits * 10 + ((10 - (sum % 10)) % 10);
}

/** @returns true for ten digits that start with 1 or 2 and end with their check digit. */
export function isNPI(text: string): boolean {
  return /^[12]\d{9}$/.test(text) && luhnSum(PREFIX + text) % 10 === 0;
}

function luhnSum(digits: string): number {
  return [...digits].reverse().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}
