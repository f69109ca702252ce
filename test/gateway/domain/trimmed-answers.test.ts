import {
  asksForCount,
  asksForTotal,
  checkableParameters,
  searchToCount,
} from '../../../src/gateway/domain/trimmed-answers.js';
import { decisionOf } from '../../support/fhir/refusals.js';

describe('A search for some elements', () => {
  test.each<[string, string, string]>([
    ['Observation', 'code', 'code,category,contained,subject,focus'],
    ['Observation', 'subject,code', 'subject,code,category,contained,focus'],
    ['AllergyIntolerance', 'code', 'code,category,contained,patient'],
    ['Claim', 'status', 'status,category,contained,patient,subject'],
    ['Appointment', 'start', 'start,category,contained,participant'],
    ['AuditEvent', 'type', 'type,category,contained,agent,entity,source'],
    ['Composition', 'title', 'title,category,contained,subject,section,event,relatesTo'],
    ['Basic', 'code', 'code,category,contained,subject,extension'],
    ['Patient', 'name', 'name,category,contained'],
    ['Binary', 'contentType', 'contentType,category,contained,securityContext'],
    ['Practitioner', 'name', 'name,category,contained'],
  ])('of %s asks for %s with what its check needs: %s', (type, elements, expected) => {
    expect(
      checkableParameters(
        [type],
        [
          ['_elements', elements],
          ['code', 'x'],
        ],
      ),
    ).toEqual([
      ['_elements', expected],
      ['code', 'x'],
    ]);
  });

  test('that includes others asks for what the check of each type needs, and for all where a type is not known', () => {
    const parameters = [['_elements', 'code']] as const;
    expect(checkableParameters(['Observation', 'Encounter', 'Provenance'], parameters)).toEqual([
      ['_elements', 'code,category,contained,subject,focus,target,entity'],
    ]);
    expect(checkableParameters(['Observation', '*'], parameters)).toEqual([]);
    expect(checkableParameters(['Observation', '*'], [['_summary', 'text']])).toEqual([]);
    expect(decisionOf(() => checkableParameters(['*'], [['_elements', '*']]))).toMatch(/^400/);
  });

  test.each(['', 'a,', 'Patient.name', 'a b', '*', Array.from({ length: 51 }, () => 'a').join()])(
    'is not for %j',
    (elements) => {
      expect(decisionOf(() => checkableParameters(['Patient'], [['_elements', elements]]))).toBe(
        '400 not-supported: The _elements must be names of elements, such as code,status.',
      );
    },
  );

  test.each<[string, [string, string][]]>([
    ['true', []],
    ['false', []],
    ['data', [['_summary', 'data']]],
    ['text', [['_elements', 'text,category,contained,subject,focus']]],
  ])('as the summary %s asks for %j', (summary, expected) => {
    expect(checkableParameters(['Observation'], [['_summary', summary]])).toEqual(expected);
  });

  test.each(['', 'count', 'x'])('is no summary %j', (summary) => {
    expect(decisionOf(() => checkableParameters(['Observation'], [['_summary', summary]]))).toBe(
      `400 not-supported: The summary '${summary}' is not supported here.`,
    );
  });
});

describe('A search for a number', () => {
  test.each<[string, string, boolean]>([
    ['_summary', 'count', true],
    ['_summary', 'text', false],
    ['_count', '0', true],
    ['_count', '00', true],
    ['_count', '10', false],
    ['_count', '', false],
    ['_offset', '0', false],
  ])('asks by %s=%s: %s', (name, value, expected) => {
    expect(
      asksForCount([
        ['code', 'x'],
        [name, value],
      ]),
    ).toBe(expected);
  });

  test.each([
    ['_total', 'accurate', true],
    ['_total', 'estimate', false],
    ['total', 'accurate', false],
  ])('asks for one with the matches by %s=%s: %s', (name, value, expected) => {
    expect(asksForTotal([[name, value]])).toBe(expected);
  });

  test('is one for what is counted', () => {
    const control = ['_summary', '_count', '_elements', '_total', '_sort', '_offset', '_page', '_skip'];
    const parameters = [...control, '_include', '_revinclude', '_include:iterate', 'code', '_lastUpdated'];
    expect(
      searchToCount(
        parameters.map((name) => [name, 'x'] as const),
        200,
      ),
    ).toEqual([
      ['code', 'x'],
      ['_lastUpdated', 'x'],
      ['_count', '200'],
    ]);
  });
});
