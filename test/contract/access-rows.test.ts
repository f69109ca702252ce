import {
  type AccessRow,
  accessRows,
  changes,
  type Reach,
  rowOfScope,
  sees,
} from '../../src/contract/rules/scopes/access-rows.js';
import type { ChoosableScope } from '../../src/contract/rules/scopes/scope-choice.js';

const asked = (value: string, ...below: string[]): ChoosableScope => ({
  value,
  fineGrainedScopes: below.map((text) => asked(text)),
});
const all = (...texts: string[]) => texts.map((text) => asked(text));

/** A row that permits and stands for nothing, with these members. */
const row = (members: Partial<AccessRow> & Pick<AccessRow, 'key' | 'subject'>): AccessRow => ({
  ...{ see: false, change: false, scopes: members.leaves ?? [], leaves: [], along: [], wildcards: [] },
  ...{ seenBy: new Map(), children: [] },
  ...members,
});
const dataOf = (requested: ChoosableScope[], ofOnePatient = false) => accessRows(requested, ofOnePatient).data;
/** The only row for these scopes. */
const onlyRow = (...texts: string[]): AccessRow => {
  const [first, ...further] = dataOf(all(...texts));
  if (!first || further.length > 0) throw new Error('not one row');
  return first;
};
const keysOf = (rows: AccessRow[]) => rows.map(({ key }) => key);

const observation = 'patient/Observation';
const [lab, survey] = [`${observation}.rs?category=laboratory`, `${observation}.rs?category=survey`];
const changeLab = `${observation}.cud?category=laboratory`;
const partOf = (scope: string, reach: Reach = 'one') => ({ is: 'part' as const, reach, scope });
const kindOf = (type: string, partly = false, reach: Reach = 'one') => ({ is: 'kind' as const, reach, type, partly });

describe('The letters of a scope', () => {
  it.each([
    ['r', true, false],
    ['s', true, false],
    ['c', false, true],
    ['u', false, true],
    ['d', false, true],
    ['cruds', true, true],
    ['', false, false],
  ])('%j let an app see data: %p, change data: %p', (actions, see, change) => {
    expect([sees(actions), changes(actions)]).toEqual([see, change]);
  });
});

describe('The row of a kind of data', () => {
  it('stands for the scope that was requested', () => {
    expect(accessRows(all('patient/Goal.rs'), false)).toEqual({
      data: [row({ key: 'one Goal', subject: kindOf('Goal'), see: true, leaves: ['patient/Goal.rs'] })],
      other: [],
      lasting: [],
    });
  });

  it.each<[text: string, ofOnePatient: boolean, reach: Reach]>([
    ['patient/Goal.rs', false, 'one'],
    ['patient/Goal.rs', true, 'one'],
    ['user/Goal.rs', false, 'many'],
    ['user/Goal.rs', true, 'one'],
    ['system/Goal.rs', false, 'all'],
    ['system/Goal.rs', true, 'all'],
  ])('of %s, when the user is a patient: %p, is about %s', (text, ofOnePatient, reach) => {
    expect(dataOf(all(text), ofOnePatient)).toEqual([
      row({ key: `${reach} Goal`, subject: kindOf('Goal', false, reach), see: true, leaves: [text] }),
    ]);
  });

  it('comes after those about fewer patients, and otherwise in the order of the request', () => {
    const requested = all('system/Goal.rs', 'user/Goal.rs', 'patient/Goal.rs', 'user/Flag.rs', 'patient/Condition.rs');
    expect(keysOf(dataOf(requested))).toEqual(['one Goal', 'one Condition', 'many Goal', 'many Flag', 'all Goal']);
    expect(keysOf(dataOf(requested, true))).toEqual(['one Goal', 'one Flag', 'one Condition', 'all Goal']);
  });

  it('has no rows below it where there is nothing to choose', () => {
    const text = 'patient/Goal.cruds';
    expect(onlyRow(text)).toEqual(
      row({ key: 'one Goal', subject: kindOf('Goal'), see: true, change: true, leaves: [text] }),
    );
    expect(onlyRow('patient/Goal.cu').children).toEqual([]);
    expect(onlyRow('patient/Goal.c', 'patient/Goal.crs').children).toEqual([]);
  });

  it('has its changes below it where they can be left out', () => {
    const leaves = ['patient/Goal.rs', 'patient/Goal.cud'];
    expect(onlyRow(...leaves)).toEqual(
      row({
        ...{ key: 'one Goal', subject: kindOf('Goal'), see: true, change: true, leaves },
        children: [
          row({
            key: 'one Goal change cud',
            subject: { is: 'change', reach: 'one', type: 'Goal', actions: '' },
            change: true,
            leaves: ['patient/Goal.cud'],
            seenBy: new Map([['patient/Goal.cud', 'patient/Goal.rs']]),
          }),
        ],
      }),
    );
  });

  it('has a row for each of several changes, which have the data seen that is seen anyway', () => {
    const change = (actions: string, leaves: string[], seenBy: [string, string][] = []) =>
      row({
        key: `one Goal change ${actions}`,
        subject: { is: 'change', reach: 'one', type: 'Goal', actions },
        change: true,
        leaves,
        seenBy: new Map(seenBy),
      });
    expect(onlyRow('patient/Goal.cu', 'patient/Goal.d').children).toEqual([
      change('cu', ['patient/Goal.cu']),
      change('d', ['patient/Goal.d']),
    ]);
    const both: [string, string][] = [
      ['patient/Goal.c', 'patient/Goal.rs'],
      ['patient/Goal.ud', 'patient/Goal.rs'],
    ];
    expect(onlyRow('patient/Goal.c', 'patient/Goal.ud', 'patient/Goal.crs', 'patient/Goal.rs').children).toEqual([
      change('c', ['patient/Goal.c', 'patient/Goal.crs'], both),
      change('ud', ['patient/Goal.ud'], both),
    ]);
  });

  it.each([
    ['subject', 'patient/Goal.cud', 'user/Goal.rs'],
    ['query', 'patient/Goal.cud', 'patient/Goal.rs?status=final'],
  ])('does not have data seen by a scope of another %s', (_, ...texts) => {
    const [kind] = dataOf(all(...texts), true);
    const change = kind?.children.find(({ subject }) => subject.is === 'change');
    expect([change?.leaves, change?.seenBy]).toEqual([['patient/Goal.cud'], new Map()]);
  });
});

describe('The rows of parts of a kind', () => {
  const part = (scope: string, members: Partial<AccessRow> = {}) =>
    row({ key: 'one Observation laboratory', subject: partOf(scope), see: true, leaves: [scope], ...members });
  const surveys = part(survey, { key: 'one Observation survey' });

  it('are below a kind that was requested whole, and below one of which only parts were requested', () => {
    const whole = asked(`${observation}.rs`, lab, survey);
    const kind = row({ key: 'one Observation', subject: kindOf('Observation'), see: true, leaves: [lab, survey] });
    const children = [part(lab), surveys];
    expect(dataOf([whole])).toEqual([{ ...kind, scopes: [`${observation}.rs`], children }]);
    expect(dataOf(all(lab, survey))).toEqual([{ ...kind, subject: kindOf('Observation', true), children }]);
  });

  it('are not repeated below the row of the only part', () => {
    expect(dataOf(all(lab))).toEqual([part(lab, { key: 'one Observation' })]);
    const both = dataOf(all(lab, changeLab));
    expect(both).toEqual([
      part(lab, {
        ...{ key: 'one Observation', change: true, scopes: [lab, changeLab], leaves: [lab, changeLab] },
        children: [
          row({
            key: 'one Observation change cud',
            subject: { is: 'change', reach: 'one', type: 'Observation', actions: '' },
            change: true,
            leaves: [changeLab],
            seenBy: new Map([[changeLab, lab]]),
          }),
        ],
      }),
    ]);
  });

  it('of other queries have their conditions as a key', () => {
    const [kind] = dataOf(all('patient/Goal.rs?status=final&code=a', 'patient/Goal.rs?code=b'));
    expect(keysOf(kind?.children ?? [])).toEqual(['one Goal status=final&code=a', 'one Goal code=b']);
  });

  it('are followed by the rest of the kind', () => {
    const rest = (text: string, members: Partial<AccessRow> = {}) =>
      row({
        key: 'one Observation rest',
        subject: { is: 'rest', reach: 'one', type: 'Observation' },
        see: true,
        leaves: [text],
        ...members,
      });
    const whole = `${observation}.rs`;
    const changing = `${observation}.cruds`;
    expect(onlyRow(lab, whole).children).toEqual([part(lab), rest(whole)]);
    expect(onlyRow(lab, whole).subject).toEqual(kindOf('Observation'));
    // Where everything also changes data, so does the rest.
    const changingLab = `${changing}?category=laboratory`;
    expect(onlyRow(changingLab, changing).children).toEqual([
      part(changingLab, { change: true }),
      rest(changing, { change: true }),
    ]);
    // Where the changes have a row, the rest is only seen.
    expect(onlyRow(lab, changing).children.map(({ subject }) => subject.is)).toEqual(['part', 'change']);
    expect(onlyRow(lab, whole, `${observation}.cud`).children.map(({ leaves }) => leaves)).toEqual([
      ...[[lab], [whole], [`${observation}.cud`]],
    ]);
  });

  it('untick the changes that the part permits, but for a part that can only be changed', () => {
    const [kind] = dataOf(all(lab, changeLab, survey));
    expect(kind?.children.slice(0, 2)).toEqual([part(lab, { along: [changeLab] }), surveys]);
    const [other] = dataOf(all(changeLab, survey));
    expect(other?.children.slice(0, 2)).toEqual([part(changeLab, { see: false, change: true }), surveys]);
  });

  it('have their changes where all that was requested changes data', () => {
    const changeSurvey = `${observation}.cud?category=survey`;
    expect(onlyRow(changeLab, changeSurvey).children).toEqual([
      part(changeLab, { see: false, change: true }),
      part(changeSurvey, { key: 'one Observation survey', see: false, change: true }),
    ]);
  });
});

describe('The row of everything', () => {
  const everything = (reach: Reach, members: Partial<AccessRow>) =>
    row({ key: `${reach} *`, subject: { is: 'everything', reach }, ...members });
  const kind = (type: string, actions = 'rs', members: Partial<AccessRow> = {}) =>
    row({ key: `one ${type}`, subject: kindOf(type), see: true, leaves: [`patient/${type}.${actions}`], ...members });

  it('has the kinds of a wildcard below it, and is ticked with the whole wildcard', () => {
    const wildcard = asked('patient/*.rs', 'patient/Goal.rs', 'patient/Flag.rs');
    expect(dataOf([wildcard])).toEqual([
      everything('one', {
        see: true,
        scopes: ['patient/*.rs'],
        leaves: ['patient/Goal.rs', 'patient/Flag.rs'],
        wildcards: [wildcard],
        children: [kind('Goal'), kind('Flag')],
      }),
    ]);
  });

  it('has the kinds first that were requested by name', () => {
    const requested = [asked('patient/*.rs', ...['patient/Goal.rs', 'patient/Flag.rs']), asked('patient/Flag.rs')];
    const [first] = dataOf([...requested, asked('patient/Odd.rs')]);
    expect(first?.leaves).toEqual(['patient/Goal.rs', 'patient/Flag.rs', 'patient/Odd.rs']);
    expect(first?.children).toEqual([kind('Flag'), kind('Odd'), kind('Goal')]);
  });

  it('has a row for the changes of all kinds, where data can also be seen alone', () => {
    const below = ['patient/Goal.rs', 'patient/Goal.cud', 'patient/Flag.rs'];
    const [first] = dataOf([asked('patient/*.cruds', ...below)]);
    expect(first).toMatchObject({ see: true, change: true, scopes: ['patient/*.cruds'], leaves: below });
    expect(keysOf(first?.children ?? [])).toEqual(['one * change', 'one Goal', 'one Flag']);
    expect(first?.children[0]).toEqual(
      row({
        key: 'one * change',
        subject: { is: 'change', reach: 'one', type: '*', actions: '' },
        change: true,
        leaves: ['patient/Goal.cud'],
        seenBy: new Map([['patient/Goal.cud', 'patient/Goal.rs']]),
      }),
    );
  });

  it.each<[string, ChoosableScope[]]>([
    ['where all scopes change data', [asked('patient/*.cruds', 'patient/Goal.cruds', 'patient/Flag.cruds')]],
    ['where none changes data', [asked('patient/*.rs', 'patient/Goal.rs')]],
    ['where none of the kinds below can be changed', [asked('patient/*.cruds', 'patient/Goal.rs')]],
    ['where only a kind changes data', [asked('patient/*.rs', 'patient/Goal.rs'), asked('patient/Goal.cud')]],
  ])('has no row for changes %s', (_, requested) => {
    expect(keysOf(dataOf(requested)[0]?.children ?? [])).not.toContain('one * change');
  });

  it('is one for all wildcards about the same patients, with everything that goes along with parts', () => {
    const see = asked('patient/*.rs', 'patient/Goal.rs');
    const change = asked('patient/*.cud', 'patient/Goal.cud');
    const [first, ...further] = dataOf([see, change, ...all(lab, changeLab, survey)]);
    expect(further).toEqual([]);
    expect(first).toMatchObject({
      ...{ key: 'one *', see: true, change: true, scopes: ['patient/*.rs', 'patient/*.cud'], wildcards: [see, change] },
      leaves: ['patient/Goal.rs', 'patient/Goal.cud', lab, changeLab, survey],
    });
    expect(dataOf([see, asked('user/*.rs', 'user/Flag.rs')]).map(({ key, scopes }) => [key, scopes])).toEqual([
      ['one *', ['patient/*.rs']],
      ['many *', ['user/*.rs']],
    ]);
  });

  it('sees data only, if none of its wildcards changes data', () => {
    const wildcards = [asked('patient/*.r', 'patient/Goal.r'), asked('patient/*.s', 'patient/Goal.s')];
    expect(dataOf(wildcards)[0]).toMatchObject({ see: true, change: false });
  });

  it('makes a kind whole of which only a part was requested by name', () => {
    const requested = [asked('patient/*.rs', ...[`${observation}.rs`]), asked(lab)];
    expect(dataOf(requested)[0]?.children.map(({ subject }) => subject)).toEqual([kindOf('Observation')]);
  });

  it('is not that of a wildcard with a query, which selects a part of each kind', () => {
    const text = 'patient/*.rs?_id=1';
    expect(dataOf(all(text))).toEqual([row({ key: 'one *', subject: partOf(text), see: true, leaves: [text] })]);
    const goal = 'patient/Goal.rs?_id=1';
    expect(dataOf([asked(text, goal), asked('patient/Goal.cud?_id=2')])[0]?.subject).toEqual(kindOf('Goal', true));
  });
});

describe('The other rows', () => {
  const rowsOf = (...texts: string[]) => accessRows(all(...texts), false);
  const [onPatients, onGroups, expand] = [
    'user/Patient.$everything',
    'user/Group.$everything',
    'user/ValueSet.$expand',
  ];

  it('are those of operations, each once, and one of what only the server knows', () => {
    const everything = [onPatients, onGroups];
    expect(rowsOf('__vendor', onPatients, expand, onGroups)).toEqual({
      data: [],
      other: [
        row({
          key: '$everything',
          subject: { is: 'operation', operation: 'everything' },
          leaves: everything,
          children: everything.map(rowOfScope),
        }),
        rowOfScope(expand),
        row({ key: 'other', subject: { is: 'other' }, leaves: ['__vendor'] }),
      ],
      lasting: [],
    });
  });

  it('have the scopes below them that only the server knows, if they are several', () => {
    const texts = ['__vendor', 'launch/questionnaire', 'nonsense'];
    expect(rowsOf(...texts).other).toEqual([
      row({ key: 'other', subject: { is: 'other' }, leaves: texts, children: texts.map(rowOfScope) }),
    ]);
  });

  it('are apart from those about the duration', () => {
    const texts = ['offline_access', 'online_access'];
    expect(rowsOf(...texts)).toEqual({ data: [], other: [], lasting: texts.map(rowOfScope) });
  });

  it('of a scope stand for it alone', () => {
    expect(rowOfScope('offline_access')).toEqual(
      row({
        key: 'offline_access',
        subject: { is: 'scope', scope: 'offline_access' },
        leaves: ['offline_access'],
      }),
    );
  });
});
