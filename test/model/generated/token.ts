import { type Asked, letters, type Token } from '../decision/world.js';
import type { Random } from './random.js';
import { relationshipOf } from './relationship.js';
import { anyType, laboratory, patients } from './resources.js';

const words: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };
const categories = [
  'laboratory',
  laboratory,
  'laboratory,vital-signs',
  '%7Claboratory',
  'survey',
  'laboratory%2Csurvey',
];

function scopeOf(random: Random, asked: Asked): string {
  const { type, operation, interaction } =
    asked.parts && random.percent(50) ? random.of([asked, ...asked.parts]) : asked;
  const subject = random.of(['patient', 'patient', 'patient', 'patient', 'user', 'user', 'system']);
  const types = [
    type,
    type,
    type,
    type,
    '*',
    '*',
    '*',
    '*',
    'Observation',
    'Binary',
    'DocumentReference',
    'Patient',
    anyType(random),
  ];
  if (random.percent(operation === undefined ? 2 : 40)) {
    const name = random.percent(85)
      ? (operation ?? 'everything')
      : random.of(['meta', 'everything', 'export', 'lastn']);
    return `${subject}/${random.of(types)}.$${name}`;
  }
  const letter = letters[interaction] ?? 'r';
  const fitting = ['cruds', 'rs', 'r', 's', 'cud', 'cus', 'read', 'write', '*'].filter((one) =>
    `${words[one] ?? one}`.includes(letter),
  );
  const access = random.percent(65)
    ? random.of(fitting)
    : random.of([
        'rs',
        'cruds',
        'rs',
        'cruds',
        'cruds',
        'r',
        's',
        'cud',
        'cus',
        'us',
        'c',
        'u',
        'd',
        'read',
        'write',
        '*',
        'sr',
        '',
      ]);
  const query = random.percent(75)
    ? ''
    : random.of([
        ...categories.map((one) => `?category=${one}`),
        '?code=x',
        '?category=survey&category=laboratory',
        '?category:not=survey',
      ]);
  return `${subject}/${random.of(types)}.${access}${query}`;
}

/** Scopes of several persons, of which each opens another part. */
function tokenToCollect(random: Random): Token {
  if (random.percent(60)) {
    const others = random.of(['user/Patient.$everything', 'user/*.s', 'user/Observation.rs']);
    const ofPatient = `patient/${random.of(['Patient', '*'])}.rs`;
    return { scopes: [ofPatient, others], patient: 'p1', user: 'Patient/p2', acr: 'aal2', age: 10 };
  }
  const category = `${random.of(['user', 'system'])}/*.rs?category=${random.of(['laboratory', 'survey'])}`;
  const others = `user/${random.of(['Observation', 'Condition', '*'])}.s`;
  return { scopes: ['patient/Patient.rs', category, others], patient: 'p1', user: 'Practitioner/d1', age: 10 };
}

/** What a chain reaches has to be open as a whole, type by type. */
function tokenToReach(random: Random, { type }: Asked): Token {
  const types = random.list(1, 2, () => random.of(['Patient', 'Patient', 'Observation', 'Encounter', '*']));
  const scopes = [type, ...types].map((one) => `user/${one}.${random.of(['rs', 'rs', 's'])}`);
  return { scopes, patient: 'p1', user: 'Practitioner/d1', acr: 'aal2', age: 10 };
}

/** A token that may open what is asked for. */
export function tokenOf(random: Random, asked: Asked): Token {
  const scopes = random.list(1, 3, () => scopeOf(random, asked));
  if (random.percent(30))
    scopes.push(...random.of([['openid', 'fhirUser'], ['openid', 'profile'], ['openid'], ['profile'], ['fhirUser']]));
  if (random.percent(20)) scopes.push('patient/*.cruds');
  // Several extents of one type at once: a patient's, and those of categories.
  if (random.percent(8)) scopes.push(`${random.of(['user', 'system'])}/*.cruds?category=${random.of(categories)}`);
  if (random.percent(8)) {
    const named = random.of(['Observation', 'Condition', 'Encounter', 'DocumentReference', 'Device']);
    scopes.splice(
      0,
      scopes.length,
      `patient/${asked.type}.cruds`,
      `patient/${named}.rs?category=${random.of(categories)}`,
    );
  }
  // What the gateway does not know is run by who may do everything.
  if (asked.operation === 'meta' && random.percent(30)) {
    const subject = random.of(['user', 'system']);
    scopes.push(`${subject}/*.${random.of(['cruds', 'rs'])}`, `${subject}/*.$meta`);
  }
  // What is collected of a patient is the part that the scopes for it, for Patients and for other types have in common.
  if (asked.operation === 'everything' && random.percent(20)) return tokenToCollect(random);
  const isChained = asked.query.some(([name]) => name.includes('.') || name.startsWith('_has:'));
  if (asked.interaction === 'search' && isChained && random.percent(40)) return tokenToReach(random, asked);
  const user = random.of([
    'Practitioner/d1',
    'Practitioner/d1',
    'PractitionerRole/s1',
    'Patient/p1',
    'Patient/p2',
    'RelatedPerson/r1',
    undefined,
  ]);
  // Who acts for a patient does so by the scopes of a patient.
  if (random.percent(25)) {
    if (random.percent(60)) scopes.push('patient/*.cruds');
    const own = random.of(['RelatedPerson/r1', 'RelatedPerson/r2', 'Person/r3', 'Patient/p2', undefined]);
    return {
      scopes,
      patient: random.of(patients),
      ...(own !== undefined && { user: own }),
      acr: 'aal2',
      age: 10,
      relationship: relationshipOf(random),
    };
  }
  return {
    scopes,
    ...(random.percent(85) && { patient: random.of(patients) }),
    ...(user !== undefined && { user, acr: random.of(['aal1', 'aal1', 'aal2', 'phr']), age: random.of([10, 10_000]) }),
  };
}
