import fc from 'fast-check';
import { Kinds, Offer } from '../../src/consent/application/offer.js';
import { AppConsent } from '../../src/consent/domain/app-consent.js';
import { defaultClientForm } from '../../src/contract/rules/clients/client-fields.js';
import { leavesOf, ScopeChoice } from '../../src/contract/rules/scopes/scope-choice.js';
import type { AuthorizingClient } from '../../src/oidc/domain/authorization.js';
import { runs } from '../support/runs.js';

const decided = (scopes: string[], declined: string[]): AppConsent =>
  AppConsent.give({
    accountId: 'account',
    clientId: 'app',
    scopes,
    declined,
    tenant: undefined,
    remembered: true,
    redirectHost: 'app.example',
    disclaimers: '',
    lifetimeSeconds: undefined,
    now: new Date(),
  });

describe('The scopes that the last decision about an app left out', () => {
  it.each<[string, string[], string[], string[], string[]]>([
    ['a scope that was unticked', ['openid'], ['patient/Goal.rs'], ['openid', 'patient/Goal.rs'], ['patient/Goal.rs']],
    ['a scope of another kind', ['openid'], ['profile'], ['openid', 'profile', 'fhirUser'], ['profile']],
    [
      'a type of a wildcard that was granted in part',
      ['patient/Goal.rs'],
      ['patient/*.rs'],
      ['patient/Goal.rs', 'patient/Flag.rs', 'user/Flag.rs'],
      ['patient/Flag.rs', 'user/Flag.rs'],
    ],
    [
      'a category of a type that was granted in part',
      ['patient/Observation.rs?category=lab'],
      ['patient/Observation.rs'],
      ['patient/Observation.rs?category=lab', 'patient/Observation.rs?category=survey'],
      ['patient/Observation.rs?category=survey'],
    ],
    [
      'a wildcard that includes it',
      ['openid'],
      ['patient/Goal.rs'],
      ['patient/*.rs', 'patient/Flag.rs'],
      ['patient/*.rs'],
    ],
    [
      'more of a type that was refused',
      ['openid'],
      ['patient/Goal.rs'],
      ['patient/Goal.cruds'],
      ['patient/Goal.cruds'],
    ],
    ['nothing of what was never requested', ['openid'], ['patient/Goal.rs'], ['patient/Flag.rs', 'offline_access'], []],
    ['nothing of what was granted whole', ['patient/*.cruds'], ['offline_access'], ['patient/Flag.rs'], []],
  ])('are %s', (_what, granted, declined, requested, leftOut) => {
    expect(decided(granted, declined).leftOutOf(requested)).toEqual(leftOut);
  });

  it('are those that were unticked, whenever the same request is decided again', () => {
    const texts = [
      'openid',
      'offline_access',
      'patient/*.rs',
      'user/*.cruds',
      'patient/Observation.rs',
      'patient/Observation.rs?category=laboratory',
      'patient/Goal.read',
      'user/Flag.r',
    ];
    const client = { clientId: 'app', clientName: 'App', settings: defaultClientForm() };
    const kinds = new Kinds('Patient', ['Observation', 'Goal', 'Flag']);
    fc.assert(
      fc.property(
        fc.subarray(texts, { minLength: 1 }),
        fc.boolean(),
        fc.array(fc.nat(30), { maxLength: 6 }),
        (requested, showFineGrainedScopes, unticked) => {
          const settings = { ...client.settings, showFineGrainedScopes };
          const offer = new Offer(requested, { ...client, settings } as unknown as AuthorizingClient, kinds);
          const rows = [...offer.identityScopes.map((row) => ({ ...row, fineGrainedScopes: [] })), ...offer.apiScopes];
          const choice = new ScopeChoice(rows);
          const optional = rows.filter(({ required }) => !required).flatMap(leavesOf);
          const off = unticked.flatMap((index) => optional[index % optional.length] ?? []);
          const leaf = (value: string) => ({ value, fineGrainedScopes: [] });
          const ticks = choice.withTicked(choice.allLeaves(), off.map(leaf), false);
          const granted = choice.grantedScopes(ticks);
          fc.pre(granted.length > 0);
          const before = decided(
            offer.grantedScopes(granted),
            requested.filter((text) => !granted.includes(text)),
          );
          const again = choice.withTicked(choice.allLeaves(), offer.leftOut(before).map(leaf), false);
          expect(choice.grantedScopes(again)).toEqual(granted);
        },
      ),
      runs(300, 10_000),
    );
  });
});
