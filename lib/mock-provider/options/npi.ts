/** Put before an NPI when its check digit is made: the United States' prefix for health applications (ISO 7812). */
const PREFIX = '80840';

/** @returns the NPI, ten digits, whose first nine are these. */
export function npiFrom(nineDigits: number): number {
  const sum = luhnSum(`${PREFIX}${nineDigits}0`);
  return nineDigits * 10 + ((10 - (sum % 10)) % 10);
}

/** @returns true for ten digits that begin with 1 or 2 and end with their check digit. */
export function isNPI(text: string): boolean {
  return /^[12]\d{9}$/.test(text) && luhnSum(PREFIX + text) % 10 === 0;
}

function luhnSum(digits: string): number {
  return [...digits].reverse().reduce((sum, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}
