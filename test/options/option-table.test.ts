import { expect, test } from '@jest/globals';
import { checkOptions } from '../../lib/options/option-table.js';
import { flag, type OptionTable, text } from '../../lib/schema.js';

interface Lamp {
  colour: string;
  isOn?: boolean;
}

const lamp: OptionTable<Lamp> = {
  colour: { ...text, whenMissing: 'Pass a colour.' },
  isOn: { ...flag, default: false },
};

test('checkOptions() returns the options with their defaults', () => {
  expect(checkOptions({ colour: 'red' }, lamp)).toEqual({ colour: 'red', isOn: false });
  expect(checkOptions({ colour: 'red', isOn: true }, lamp)).toEqual({ colour: 'red', isOn: true });
});

test.each<[unknown, string, string]>([
  [undefined, 'option_invalid', 'the options are missing. Pass an object with at least colour.'],
  [{}, 'option_invalid', "option 'colour' is missing. Pass a colour."],
  [{ colour: '' }, 'option_invalid', "option 'colour' is missing. Pass a colour."],
  [{ colour: 5 }, 'option_invalid', "option 'colour' must be a string."],
  [{ colour: 'red', isOn: null }, 'option_invalid', "option 'isOn' must be true or false."],
  [{ colour: 'red', ison: true }, 'option_invalid', "unknown option 'ison'. Did you mean 'isOn'?"],
  [{ colour: 'red', size: 5 }, 'option_invalid', "unknown option 'size'. The options are: colour, isOn."],
])('checkOptions(%j) throws %s', (options, code, message) => {
  expect(() => checkOptions(options as Lamp, lamp)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(`passport-clinician: ${message}`) }),
  );
});

test('a table does not compile without a rule for each option', () => {
  // @ts-expect-error: isOn is missing
  const incomplete: OptionTable<Lamp> = { colour: text };
  // @ts-expect-error: size is not an option
  const excessive: OptionTable<Lamp> = { ...lamp, size: text };
  expect([incomplete, excessive]).toHaveLength(2);
});
