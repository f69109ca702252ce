import type { ApiScope, ConsentRequest } from '../../../../../src/contract/consent.js';
import { type AccessRow, accessRows } from '../../../../../src/contract/rules/scopes/access-rows.js';
import {
  actionsOf,
  choiceOf,
  chosenOf,
  firstSelection,
  lockedIn,
  tickAll,
  tickOf,
  tickRow,
  unticked,
} from './selection.js';

const scope = (value: string, children: ApiScope[] = [], required = false): ApiScope => ({
  value,
  displayName: value,
  description: '',
  required,
  fineGrainedScopes: children,
});

const divided = (text: string, query = ''): ApiScope =>
  scope(`${text}.cruds${query}`, [scope(`${text}.rs${query}`), scope(`${text}.cud${query}`)]);

const laboratory = 'patient/Observation.rs?category=laboratory';
const survey = 'patient/Observation.rs?category=survey';
const problems = '?category=problem-list-item';
const concerns = '?category=health-concern';

const asked = (
  apiScopes: ApiScope[],
  identity: string[] = ['openid', 'profile', 'launch/patient'],
): ConsentRequest => ({
  clientName: 'App',
  identityScopes: identity.map((value) => ({ value, displayName: '', description: '', required: value === 'openid' })),
  apiScopes,
  redirectHost: 'app.example',
  legalCompanyName: null,
  contactUsUrl: null,
  privacyPolicyUrl: null,
  termsOfServiceUrl: null,
  isTrial: false,
  firstTime: true,
  decidedAt: null,
  leftOutBefore: [],
  newScopes: [],
  ownRecord: true,
  sensitive: { whole: [], partly: [] },
  lasting: { seconds: null, until: null, offlineSeconds: null },
  patient: null,
  contextVersion: '',
});

/** The page of a request, on which rows are found by the end of their keys. */
function pageOf(request: ConsentRequest, off: string[] = []) {
  const choice = choiceOf(request);
  const locked = lockedIn(request);
  const { data } = accessRows(request.apiScopes, true);
  const withParents = (row: AccessRow, parent?: AccessRow): [AccessRow, AccessRow | undefined][] => [
    [row, parent],
    ...row.children.flatMap((child) => withParents(child, row)),
  ];
  const all = data.flatMap((row) => withParents(row));
  const find = (key: string) => {
    const found = all.find(([row]) => row.key === key);
    if (!found) throw new Error(`There is no row ${key} among ${all.map(([row]) => row.key).join(', ')}`);
    return { row: found[0], parent: found[1], locked };
  };
  let selection = firstSelection(choice, request, off);
  return {
    granted: () => chosenOf(choice, selection),
    unticked: () => unticked(choice, selection),
    tick: (key: string, on: boolean) => {
      selection = tickRow(choice, selection, find(key), on);
    },
    tickAll: (on: boolean) => {
      selection = tickAll(choice, locked, on);
    },
    tickOf: (key: string) => tickOf(choice, selection, find(key).row),
    actionsOf: (key: string) => actionsOf(selection, find(key).row),
    keys: all.map(([row]) => row.key),
  };
}

const observation = scope('patient/Observation.rs', [scope(laboratory), scope(survey)]);
const patient = scope('patient/Patient.rs', [], true);
const plain = asked([observation, scope('patient/MedicationRequest.rs'), patient, scope('offline_access')]);
const everything = [
  'openid',
  'profile',
  'launch/patient',
  'patient/Observation.rs',
  'patient/MedicationRequest.rs',
  'patient/Patient.rs',
  'offline_access',
];

describe('The selection on the consent page', () => {
  it('grants at first all scopes of the request, as they were requested', () => {
    expect(pageOf(plain).granted()).toEqual(everything);
  });

  it('has scopes unticked that were unticked before, with the scopes that would permit them', () => {
    expect(pageOf(plain, ['profile', survey]).granted()).toEqual([
      'openid',
      'launch/patient',
      laboratory,
      'patient/MedicationRequest.rs',
      'patient/Patient.rs',
      'offline_access',
    ]);
  });

  it('keeps required scopes and the launch context ticked, whatever was unticked before', () => {
    const granted = pageOf(plain, ['openid', 'launch/patient', 'patient/Patient.rs']).granted();
    expect(granted).toEqual(everything);
  });

  it('grants the parts of a kind that are ticked, and the kind again once all are', () => {
    const page = pageOf(plain);
    page.tick('one Observation survey', false);
    expect(page.tickOf('one Observation')).toBe('some');
    expect(page.granted()).toEqual(everything.with(3, laboratory));
    expect(page.unticked()).toEqual([survey]);
    page.tick('one Observation survey', true);
    expect(page.tickOf('one Observation')).toBe('all');
    expect(page.granted()).toEqual(everything);
  });

  it('turns everything off but what is required or no choice, and on again', () => {
    const page = pageOf(plain);
    page.tickAll(false);
    expect(page.granted()).toEqual(['openid', 'launch/patient', 'patient/Patient.rs']);
    page.tickAll(true);
    expect(page.granted()).toEqual(everything);
  });

  it('grants nothing where only the launch context is left', () => {
    const page = pageOf(asked([scope('patient/Goal.rs')], ['launch/patient']));
    page.tick('one Goal', false);
    expect(page.granted()).toEqual([]);
  });
});

describe('Changes of a kind', () => {
  const conditions = scope('patient/Condition.cruds', [
    divided('patient/Condition', problems),
    divided('patient/Condition', concerns),
  ]);

  it('are a row of their own where less than requested can be granted, and its absence is seen on the kind', () => {
    const page = pageOf(asked([conditions], []));
    expect(page.actionsOf('one Condition')).toBe('cruds');
    page.tick('one Condition change cud', false);
    expect(page.granted()).toEqual([`patient/Condition.rs${problems}`, `patient/Condition.rs${concerns}`]);
    expect(page.actionsOf('one Condition')).toBe('rs');
    expect([page.tickOf('one Condition'), page.tickOf('one Condition problem-list-item')]).toEqual(['some', 'all']);
    page.tick('one Condition change cud', true);
    expect(page.granted()).toEqual(['patient/Condition.cruds']);
  });

  it('are not granted of a part that is unticked', () => {
    const page = pageOf(asked([conditions], []));
    page.tick('one Condition health-concern', false);
    expect(page.granted()).toEqual([`patient/Condition.cruds${problems}`]);
    expect(page.tickOf('one Condition change cud')).toBe('all');
  });

  it('come back with a part only where changes are ticked', () => {
    const page = pageOf(asked([conditions], []));
    page.tick('one Condition health-concern', false);
    page.tick('one Condition health-concern', true);
    expect(page.granted()).toEqual(['patient/Condition.cruds']);
    page.tick('one Condition health-concern', false);
    page.tick('one Condition change cud', false);
    page.tick('one Condition health-concern', true);
    expect(page.granted()).toEqual([`patient/Condition.rs${problems}`, `patient/Condition.rs${concerns}`]);
  });

  it('are ticked together with what they change', () => {
    const page = pageOf(asked([divided('patient/Goal')], []));
    page.tick('one Goal', false);
    expect(page.actionsOf('one Goal')).toBe('cruds');
    page.tick('one Goal change cud', true);
    expect(page.granted()).toEqual(['patient/Goal.cruds']);
  });

  it('have no row of their own where the scope can only be granted whole', () => {
    expect(pageOf(asked([scope('patient/Goal.cruds')])).keys).toEqual(['one Goal']);
  });
});

describe('Everything in the record', () => {
  const wildcard = scope('patient/*.rs', [scope('patient/Goal.rs'), scope('patient/Flag.rs'), observation]);
  const request = asked([scope('patient/Goal.rs'), wildcard], []);

  it('is the parent of each kind, each once', () => {
    expect(pageOf(request).keys).toEqual([
      'one *',
      'one Goal',
      'one Flag',
      'one Observation',
      'one Observation laboratory',
      'one Observation survey',
    ]);
  });

  it('is not granted when a kind is unticked, and ticks all kinds', () => {
    const page = pageOf(request);
    page.tick('one Goal', false);
    expect(page.tickOf('one *')).toBe('some');
    expect(page.granted()).toEqual(['patient/Flag.rs', 'patient/Observation.rs']);
    page.tick('one *', true);
    expect(page.granted()).toEqual(['patient/Goal.rs', 'patient/*.rs']);
    page.tick('one *', false);
    expect(page.granted()).toEqual([]);
  });

  it('is not whole without a kind that the server does not list', () => {
    const page = pageOf(asked([scope('patient/Odd.rs'), wildcard], []));
    page.tick('one Odd', false);
    expect(page.tickOf('one *')).toBe('some');
    expect(page.granted()).not.toContain('patient/*.rs');
  });

  it('can be seen without being changed', () => {
    const page = pageOf(asked([scope('patient/*.cruds', [divided('patient/Goal'), divided('patient/Flag')])], []));
    page.tick('one * change', false);
    expect(page.granted()).toEqual(['patient/Goal.rs', 'patient/Flag.rs']);
    expect(page.actionsOf('one *')).toBe('rs');
    page.tick('one Flag', false);
    page.tick('one * change', true);
    expect(page.granted()).toEqual(['patient/Goal.cruds']);
    expect(page.tickOf('one * change')).toBe('all');
  });
});
