import { maskWord } from '../../http/masking.js';
import { Refusal } from '../refusal.js';
import type { Prompt } from './authorization-request.js';
import type { Check } from './check.js';

const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'create'] satisfies Prompt[];
const SOURCE = 'OpenID Connect Core section 3.1.2.1';

/** Decision 28. */
export const checkPrompt: Check = ({ parameters }) => {
  const words = (parameters.get('prompt') ?? '').split(' ').filter((word) => word !== '');
  const unknown = words.find((word) => !PROMPTS.includes(word));
  if (unknown !== undefined) {
    return new Refusal('invalid_request', `prompt ${maskWord(unknown)} is not supported`, {
      decision: 28,
      source: SOURCE,
    });
  }
  if (words.includes('none') && words.length > 1) {
    return new Refusal('invalid_request', 'prompt none goes with no other', { decision: 28, source: SOURCE });
  }
  return { prompt: new Set(words as Prompt[]) };
};
