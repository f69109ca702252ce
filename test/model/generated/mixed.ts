import { parametersOf } from '../decision/definitions.js';
import { aboutOf, participantsOf } from '../decision/mixed-resources.js';
import type { Asked, Query, Token } from '../decision/world.js';
import type { Data } from '../run/data.js';
import type { Random } from './random.js';
import { anyPlace, patients } from './resources.js';
import { naming } from './search.js';

/** What a patient asks about resources that several patients may share: what they name, and whether it can be found. */
export function askedOfMixed(random: Random, data: Data): { asked: Asked; token: Token } {
  const places = Object.keys(data.versions);
  const mixed = places.filter((place) => isMixed(place.split('/')[0] ?? ''));
  const [type = '', id = ''] = (mixed.length > 0 ? random.of(mixed) : 'List/none').split('/');
  const category = random.percent(25) ? `?category=${random.of(['laboratory', 'survey'])}` : '';
  const scopes = [`patient/${type}.rs${category}`, ...(random.percent(60) ? ['patient/Observation.rs'] : [])];
  const patient = random.of(patients);
  const token = { scopes, patient, user: `Patient/${patient}`, acr: 'aal2', age: 10 };
  if (random.percent(25)) return { asked: { interaction: 'read', type, id, query: [] }, token };
  const named = JSON.stringify(data.versions[`${type}/${id}`]?.at(-1) ?? '').match(/[A-Z][A-Za-z]+\/[a-z]\d+/g) ?? [];
  const own = parametersOf(type).filter((name) => naming.includes(name) && name !== 'patient');
  const condition = (): Query[number] => [
    own.length > 0 && random.percent(85) ? random.of(own) : 'patient',
    random
      .list(1, 2, () => (named.length > 0 && random.percent(70) ? random.of(named) : anyPlace(random, places)))
      .join(),
  ];
  return { asked: { interaction: 'search', type, query: random.list(1, 2, condition) }, token };
}

function isMixed(type: string): boolean {
  return participantsOf(type) !== undefined || aboutOf(type).length > 0;
}
