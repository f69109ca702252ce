import type { stepPages } from '../../../src/contract/rules/pages.js';

type LastPart<Path> = Path extends `/user/${infer Name}` ? Name : never;
/**
 * The steps between sign-in and the response to the app, by the last part of their path; without those that neither the
 * client nor the request decides about: the question about a paused app (`test/grants/pauses.test.ts`), and what the
 * user is told once (`test/representation/upkeep/family-news.test.ts`).
 */
export type Step = Exclude<LastPart<(typeof stepPages)[keyof typeof stepPages]>, 'paused-app' | 'family-news'>;
export type DueSteps = Record<Step, boolean>;

/** In the order of the flow. */
export const allStepsDue: DueSteps = {
  'two-factor-required': true,
  disclaimer: true,
  'launch-context': true,
  consent: true,
};
export const steps = Object.keys(allStepsDue) as Step[];

export const stepCombinations = Array.from({ length: 2 ** steps.length }, (_, bits) => {
  const due = Object.fromEntries(steps.map((step, index) => [step, (bits & (1 << index)) !== 0])) as DueSteps;
  return { due, name: steps.filter((step) => due[step]).join(', ') || 'nothing' };
});

/** What the app requests decides about these; the client decides about all other steps. */
const ofRequest: readonly Step[] = ['launch-context'];
const ofClient = steps.filter((step) => !ofRequest.includes(step));

export const clientIdOf = (due: DueSteps) => `app-${ofClient.map((step) => (due[step] ? 1 : 0)).join('')}`;

/** A variant of the client for each combination. */
export function clientsFor<Client extends object>(client: Client) {
  return stepCombinations
    .filter(({ due }) => !ofRequest.some((step) => due[step]))
    .map(({ due }) => ({
      ...client,
      clientId: clientIdOf(due),
      require2fa: due['two-factor-required'],
      requireConsent: due.consent,
    }));
}

/** The disclaimer of the clients for which that step is due. */
export const dueDisclaimer = {
  id: 'use',
  description: 'Portal use',
  html: '<p>Be careful.</p>',
  clients: stepCombinations.filter(({ due }) => due.disclaimer).map(({ due }) => clientIdOf(due)),
  everyLogin: false,
};
