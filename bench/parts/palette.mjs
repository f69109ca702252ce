import { lists } from '../tools/lists.mjs';
import { configuration, fillClients, kinds, uses } from './clients.mjs';
import { at, fillUsers, firstNames, lastNames } from './users.mjs';

/** Users for each client. */
const share = 30;
const typed = (term) => ({ term });

/** Each gives one of its terms after the other. */
const queries = {
  'one letter': (turn) => typed('abcdefghijklmnopqrstuvwxyz'.charAt(turn % 26)),
  'two letters': (turn) => typed(at(lastNames, turn).slice(1, 3)),
  'a first name': (turn) => typed(at(firstNames, turn)),
  'a whole name': (turn) => typed(`${at(firstNames, turn)} ${at(lastNames, turn)}`),
  'an address': (turn) => typed(`${at(firstNames, turn)}.${at(lastNames, turn)}.${turn}@`),
  'what all addresses have': () => typed('@example.org'),
  'a FHIR reference': (turn, people) => typed(`Patient/${(turn * 37) % people}`),
  'a FHIR id': (turn, people) => typed(String((turn * 37) % people)),
  'what all references have': () => typed('Patient/'),
  'a client by name': (turn) => typed(`${at(kinds, turn)} ${at(uses, turn)}`),
  'a redirect URI': (turn, people) => typed(`https://site-${(turn * 37) % Math.ceil(people / share)}.example/`),
  'what all redirect URIs have': () => typed('.example/callback'),
  'a tag': () => typed('One of 10'),
  'no match': (turn) => typed(`${at(lastNames, turn)}xq`),
};

/**
 * Measures every kind of term of the palette with 1,000 users and 34 clients, and with 100,000 users and 3,334 clients.
 */
export function palette(table) {
  return lists(table, { what: 'palette', path: '/api/admin/palette', queries, fill, configuration });
}

async function fill(database, people) {
  await fillUsers(database, people);
  await fillClients(database, Math.ceil(people / share));
}
