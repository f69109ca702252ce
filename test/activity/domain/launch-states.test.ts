/** State, headline, advice and text for the developer tell the last event, whatever a launch has noted. */
import fc from 'fast-check';
import type { Launch, NotedLaunch } from '../../../src/activity/domain/launch.js';
import { launchRow, launchView } from '../../../src/activity/domain/launch-views.js';
import { addEntry, joined } from '../../../src/activity/domain/noted-launch.js';
import { type CauseCode, catalogue } from '../../../src/contract/activity/catalogue.js';
import type { Cause } from '../../../src/contract/activity/cause.js';
import type { LaunchState } from '../../../src/contract/activity.js';
import { runs } from '../../support/runs.js';

const start = Date.parse('2026-11-29T10:00:00Z');
const causes: Record<string, Cause> = catalogue;
/** An end is not noted: it is found when the launch is read. */
const noted = (Object.keys(catalogue) as CauseCode[]).filter((code) => {
  const { severity, stage } = catalogue[code];
  return severity !== 'left' && stage !== 'end' && code !== 'record-shared';
});
const successes: readonly string[] = ['tokens-issued', 'tokens-refreshed'];
const usual: CauseCode[] = ['request-received', 'page-sent', 'page-shown', 'code-issued', 'tokens-issued'];

interface Event {
  code: CauseCode;
  page: string;
  /** True if the statement before it was written. */
  isOfNextWrite: boolean;
}

const events = fc.array(
  fc.record({
    code: fc.oneof(fc.constantFrom(...noted), fc.constantFrom(...usual)),
    page: fc.constantFrom('login', 'consent'),
    isOfNextWrite: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

const empty = (): NotedLaunch => ({ kind: 'launch', startedAt: start, lastAt: start, outcome: 'open', entries: {} });
const timeOf = (index: number) => start + (index + 1) * 1000;

/** The launch as it is read after its events, one a second. */
function launchOf(list: readonly Event[], isOver: boolean): Launch {
  let written = empty();
  let part = empty();
  list.forEach(({ code, page, isOfNextWrite }, index) => {
    if (isOfNextWrite) [written, part] = [joined(written, part), empty()];
    addEntry(part, { code, at: timeOf(index), detail: { page, reason: 'a reason' } });
  });
  const { outcome, cause = null, entries } = joined(written, part);
  return {
    ...{ id: 'NB7Q4K2M3456', kind: 'launch', startedAt: new Date(start), cause, entries, endedBy: null, endedAt: null },
    ...{ clientId: 'heart', clientName: 'Heart', clientRecordId: 'c1', clientForm: null },
    ...{ accountId: null, personName: null, userType: null },
    outcome: (outcome === 'open' && isOver ? 'left' : outcome) as Launch['outcome'],
  };
}

const severityOf = ({ code }: Event) => causes[code]?.severity ?? '';
/** A step of the protocol, and an empty answer. */
const answered = ['gateway-nonce', 'gateway-search-emptied'];
const isOfGateway = ({ code }: Event) => causes[code]?.stage === 'gateway' && !answered.includes(code);
const isRefused = (event: Event) => ['refused', 'failed'].includes(severityOf(event)) || isOfGateway(event);
const isRefusal = (event: Event) => isRefused(event) || severityOf(event) === 'declined';

/** The state that the events lead to, one after the other. */
function stateAfter(list: readonly Event[], isOver: boolean): LaunchState {
  let state = 'open';
  for (const event of list) {
    if (successes.includes(event.code)) state = 'completed';
    else if (['refused', 'failed', 'declined'].includes(severityOf(event))) state = severityOf(event);
    else if (isOfGateway(event) && state === 'open') state = 'refused';
    else if (isOfGateway(event) && state === 'completed') state = 'request-refused';
  }
  return (state === 'open' && isOver ? 'left' : state) as LaunchState;
}

const some = (property: (list: readonly Event[], isOver: boolean) => void) =>
  fc.assert(fc.property(events, fc.boolean(), property), runs(400, 20_000));

describe('Whatever a launch has noted, on however many nodes', () => {
  it('its state is that of its last event', () =>
    some((list, isOver) => expect(launchView(launchOf(list, isOver), 0).state).toBe(stateAfter(list, isOver))));

  it('list, headline and text for the developer derive from one event, which is the last refusal', () =>
    some((list, isOver) => {
      const launch = launchOf(list, isOver);
      const view = launchView(launch, 0);
      const row = launchRow(launch);
      expect([row.state, row.decidedBy]).toEqual([view.state, view.decision?.decidedBy ?? null]);
      const last = list.findLast((event) => isRefusal(event) || successes.includes(event.code));
      if (last === undefined) return;
      if (successes.includes(last.code)) expect(view.decision).toBeUndefined();
      // The page on which the user declined says more than the answer to the app that follows.
      else if (severityOf(last) !== 'declined') expect(view.decision?.code).toBe(last.code);
    }));

  it('nothing is said to be without a refused request next to one', () =>
    some((list, isOver) => {
      const { forDeveloper } = launchView(launchOf(list, isOver), 0);
      if (/No refused request/.test(forDeveloper)) expect(list.filter(isRefused).map(({ code }) => code)).toEqual([]);
    }));

  it('a page counts as shown only if a browser has asked for it since the user was sent there', () =>
    some((list, isOver) => {
      const launch = launchOf(list, isOver);
      const { decision, forDeveloper, page } = launchView(launch, 0);
      const last = list.findLast(({ code }) => ['page-sent', 'page-shown', 'code-issued'].includes(code));
      const isShown = last?.code === 'page-shown';
      if (decision?.code === 'person-gone' || /shown to the user is/.test(forDeveloper)) expect(isShown).toBe(true);
      if (decision?.code === 'page-unopened') expect(isShown).toBe(false);
      if (launch.outcome === 'open' && page !== null && page !== 'app') expect(page).toBe(last?.page);
    }));

  it('a code counts as not redeemed only if no request with it was answered or refused', () =>
    some((list, isOver) => {
      const { decision } = launchView(launchOf(list, isOver), 0);
      if (decision?.code !== 'code-unredeemed') return;
      expect(list.some((event) => successes.includes(event.code) || isRefusal(event))).toBe(false);
    }));
});
