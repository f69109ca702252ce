import type { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Engine } from '../../../src/oidc/engine/shared/engine.js';
import type { TestPortal } from '../portal/portal.js';

const endpoints = [
  ...['pushed_authorization_request', 'authorization', 'grant', 'userinfo', 'introspection', 'revocation'],
  ...['end_session', 'end_session_confirm', 'end_session_success'],
];

let sentences: readonly string[] | undefined;
let next = 0;

/**
 * From now on the engine's errors say other words where causes are found: the sentences that the engine has for other
 * faults, in turn. No cause may depend on them, as another version of the engine may say anything. The answers keep
 * their words.
 */
export function sayOtherWords<Of extends Pick<TestPortal, 'apps'>>(portal: Of): Of {
  sentences ??= sentencesOfEngine();
  const all = sentences;
  for (const app of portal.apps) {
    const { provider } = app.get(Engine, { strict: false });
    for (const endpoint of endpoints) {
      (provider as EventEmitter).prependListener(`${endpoint}.error`, (_, error: object) => {
        next += 1;
        const words = all[next % all.length];
        Object.assign(error, { error_description: words, error_detail: words, cause: undefined });
      });
    }
  }
  return portal;
}

function sentencesOfEngine(): string[] {
  const folder = dirname(createRequire(import.meta.url).resolve('oidc-provider'));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const found = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/new \w+\(\s*'([^'\n]{10,})'/g)].map(
      ([, words = '']) => words,
    ),
  );
  if (found.length < 50) throw new Error('the sentences of the engine are not found any more');
  return [...new Set(found)].sort();
}
