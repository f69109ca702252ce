import { type Action, type Change, fieldChanges, Plan } from '../../../src/as-code/domain/plan.js';
import { planAsText } from '../../../src/as-code/domain/plan-text.js';

const change = (change: Partial<Change> = {}): Change => ({
  kind: 'client',
  name: 'growth-chart',
  action: 'change',
  fields: [],
  ...change,
});
const lines = (...changes: Partial<Change>[]) => planAsText(new Plan(changes.map(change), null)).split('\n');

describe('a plan', () => {
  it('has the same id as long as changes and basis are the same, and another one if either differs', () => {
    const id = (changes: Change[], basis: unknown) => new Plan(changes, basis).id;
    expect(id([change()], ['v1'])).toBe(id([change()], ['v1']));
    expect(id([change()], ['v1'])).not.toBe(id([change()], ['v2']));
    expect(id([change()], ['v1'])).not.toBe(id([change({ name: 'another' })], ['v1']));
    expect(id([], null)).toMatch(/^[0-9a-f]{16}$/);
    // The beginning of `printf '[[],null]' | sha256sum`.
    expect(id([], null)).toBe('bb5bb1b3a77487ee');
  });

  it('is empty without changes, and counts them by action', () => {
    const plan = new Plan([change(), change(), change({ action: 'delete' }), change({ action: 'create' })], null);
    expect([new Plan([], null).isEmpty, plan.isEmpty]).toEqual([true, false]);
    expect([plan.count('change'), plan.count('delete', 'create'), plan.count('adopt')]).toEqual([2, 2, 0]);
  });

  it('has the members that differ, in the order of the new object', () => {
    expect(
      fieldChanges(
        { same: ['a'], left: 1, other: { a: 1 }, gone: 1 },
        { other: { a: 2 }, added: false, left: 1, same: ['a'] },
      ),
    ).toEqual([
      { field: 'other', before: { a: 1 }, after: { a: 2 } },
      { field: 'added', before: undefined, after: false },
    ]);
  });
});

describe('the text of a plan', () => {
  it('says if there is nothing to do', () => {
    expect(planAsText(new Plan([], null))).toBe('No changes.');
  });

  it.each<[Action, string, string]>([
    ['create', '+ client growth-chart', '1 to create'],
    ['change', '~ client growth-chart', '1 to change'],
    ['adopt', '~ client growth-chart (taken over: managed by the file from now on)', '1 to take over'],
    [
      'adoption-needed',
      '! client growth-chart exists and is managed by hand: --adopt takes it over',
      '1 not possible as it is',
    ],
    ['delete', '- client growth-chart', '1 to delete'],
    ['release', '= client growth-chart (released: stays as it is and is managed by hand again)', '1 to release'],
    [
      'stopped',
      '! client growth-chart was disabled by hand and stays disabled, until it is enabled on its page',
      '1 disabled by hand',
    ],
  ])('for %s', (action, line, summary) => {
    const plan = new Plan([change({ action })], null);
    expect(planAsText(plan)).toBe(`${line}\n\nPlan ${plan.id}: ${summary}.`);
  });

  it.each([
    ['tenant', 'fhir.tenants'],
    ['disclaimer', 'disclaimers'],
  ] as const)('names the key of the configuration for a %s', (kind, key) => {
    expect(lines({ kind, action: 'configured-otherwise', name: 'north' })[0]).toBe(
      `! ${kind} north differs from ${key} in the configuration of the portal: change it there, or leave ${kind}s out of the file`,
    );
  });

  it('sums up all changes, in a fixed order, also those that are not possible', () => {
    const actions: Action[] = ['stopped', 'configured-otherwise', 'adoption-needed', 'delete', 'create', 'create'];
    expect(lines(...actions.map((action) => ({ action }))).at(-1)).toMatch(
      /^Plan [0-9a-f]{16}: 2 to create, 1 to delete, 2 not possible as it is, 1 disabled by hand\.$/,
    );
  });

  it('shows each field with its values, and the note of a deletion without fields', () => {
    const fields = [
      { field: 'clientName', before: 'Old "name"', after: 'New' },
      { field: 'enabled', after: true },
      { field: 'description', before: null, after: undefined },
    ];
    expect(lines({ fields })).toEqual([
      '~ client growth-chart',
      '    clientName: "Old \\"name\\"" -> "New"',
      '    enabled: true',
      '    description: null -> null',
      '',
      expect.stringContaining('1 to change'),
    ]);
    expect(lines({ action: 'delete', note: '3 people lose access', fields })).toEqual([
      '- client growth-chart',
      '    3 people lose access',
      '',
      expect.stringContaining('1 to delete'),
    ]);
  });

  it('shows the entries of a list that come and go, equal ones by their number', () => {
    const shown = (before: unknown, after: unknown) =>
      lines({ fields: [{ field: 'uris', before, after }] }).slice(1, -2);
    expect(shown(['a', 'b', 'b'], ['b', 'c'])).toEqual(['    uris:', '      - "a"', '      - "b"', '      + "c"']);
    expect(shown(['a', 'b'], ['a', 'b', 'b'])).toEqual(['    uris:', '      + "b"']);
    expect(shown(['a'], ['b'])).toEqual(['    uris:', '      - "a"', '      + "b"']);
    expect(shown(['a', 'b'], ['b'])).toEqual(['    uris:', '      - "a"']);
    expect(shown(['b'], ['a', 'b'])).toEqual(['    uris:', '      + "a"']);
    expect(shown(['a', 'b'], ['b', 'a'])).toEqual(['    uris: in another order: ["b","a"]']);
    expect(shown('a', ['a'])).toEqual(['    uris: "a" -> ["a"]']);
    expect(shown(['a'], 'a')).toEqual(['    uris: ["a"] -> "a"']);
  });

  it('escapes characters that could pass for another line, or turn the text around', () => {
    const characters = '\n\u007f\u009f\u061c\u200e\u200f\u2028\u202e\u2066\u2069';
    expect(lines({ fields: [{ field: 'name', after: `${characters}\u007e\u00a0\u2010\u2065` }] })[1]).toBe(
      '    name: "\\n\\u007f\\u009f\\u061c\\u200e\\u200f\\u2028\\u202e\\u2066\\u2069\u007e\u00a0\u2010\u2065"',
    );
  });
});
