import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import script from '../../lib/session-check/browser/session-check.js?text';
import { fakeBrowser } from '../html/fake-browser.js';
import { anyJSON, anyText } from './inputs.js';
import { testProperty } from './property.js';

describe('a message to the session-check page', () => {
  const SERVICE = 'https://auth.service.example';
  const dataset = { clinicianSessionCheck: '', clientId: 'client', sessionState: 'a.b', frame: `${SERVICE}/check` };
  const message = fc.record({
    data: fc.oneof(fc.constantFrom<unknown>('changed', 'unchanged', 'error'), anyJSON),
    origin: fc.oneof(fc.constantFrom(SERVICE, 'https://evil.example', `${SERVICE}.evil.example`, 'null', ''), anyText),
    isFrame: fc.boolean(),
  });

  testProperty(
    'causes a request only if the frame of the service says `changed` after `unchanged`',
    fc.array(message, { maxLength: 8 }),
    async (messages) => {
      const browser = fakeBrowser(script, { elements: { '[data-clinician-session-check]': { dataset } } });
      const [frame] = browser.frames;
      frame?.load();
      let mayReport = false;
      let wasUnchanged = false;
      for (const { data, origin, isFrame } of messages) {
        browser.advance(60_000);
        browser.message({ source: isFrame ? frame?.contentWindow : {}, origin, data });
        const isOfService = isFrame && origin === SERVICE;
        mayReport ||= isOfService && data === 'changed' && wasUnchanged;
        wasUnchanged ||= isOfService && data === 'unchanged';
      }
      await browser.settled();
      if (!mayReport) expect([...browser.fetched, ...browser.broadcasts]).toEqual([]);
      expect([...browser.navigations, ...browser.opened]).toEqual([]);
    },
    { runs: 60 },
  );
});
