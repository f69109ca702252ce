import type { Launch, StoredEntry } from '../../../src/activity/domain/launch.js';
import { codeOfKey, decidedBy, launchRow, launchView } from '../../../src/activity/domain/launch-views.js';
import { type CauseCode, catalogue } from '../../../src/contract/activity/catalogue.js';

const start = Date.parse('2026-11-22T10:42:31Z');
const entry = (seconds: number, more: Partial<StoredEntry> = {}): StoredEntry => ({
  ...{ at: start + seconds * 1000, last: start + seconds * 1000, count: 1, detail: {} },
  ...more,
});
const launch = (
  entries: Partial<Record<CauseCode | `${CauseCode}\n${string}` | 'unknown', StoredEntry>>,
  more: Partial<Launch> = {},
): Launch => ({
  id: 'NB7Q4K2M3456',
  kind: 'launch',
  startedAt: new Date(start),
  outcome: 'open',
  cause: null,
  endedBy: null,
  endedAt: null,
  entries: entries as Launch['entries'],
  ...{ clientId: 'heart', clientName: 'Heart', clientRecordId: 'c1', clientForm: null },
  ...{ accountId: 'ada', personName: 'Ada', userType: 'Patient' as const },
  ...more,
});
const codes = (one: Launch) => launchView(one, 0).entries.map(({ code }) => code);

describe('a row of the list of launches', () => {
  it('has the client, the user, the outcome and the last page', () => {
    const pages = {
      'page-shown\nlogin': entry(2, { detail: { page: 'login' } }),
      'page-shown\nconsent': entry(1, { last: start + 9000, detail: { page: 'consent' } }),
    };
    expect(launchRow(launch(pages))).toEqual({
      reference: 'NB-7Q4K-2M',
      kind: 'launch',
      startedAt: '2026-11-22T10:42:31.000Z',
      tookMs: 9000,
      client: { id: 'heart', name: 'Heart' },
      person: { id: 'ada', name: 'Ada', userType: 'Patient' },
      outcome: 'open',
      state: 'open',
      decidedBy: null,
      page: 'consent',
      isPageShown: true,
    });
  });

  it('has neither client nor person nor page where there is none', () => {
    const row = launchRow(launch({ 'request-received': entry(0) }, { clientId: null, accountId: null }));
    expect([row.client, row.person, row.page]).toEqual([null, null, null]);
  });

  it.each<[Launch['outcome'], string | null]>([
    ['open', 'login'],
    ['left', 'login'],
    ['completed', null],
    ['refused', null],
    ['declined', null],
  ])('of a launch that is %s has the page %s', (outcome, page) => {
    expect(launchRow(launch({ 'page-shown': entry(1, { detail: { page: 'login' } }) }, { outcome })).page).toBe(page);
  });

  it('has the page that was shown last, whatever came after', () => {
    const page = (name: string, seconds: number) => entry(seconds, { detail: { page: name } });
    const entries = {
      'page-shown\nconsent': page('consent', 4),
      'page-shown\nlogin': page('login', 1),
      'page-shown\nlaunch': page('launch', 3),
      'page-shown\nterms': page('terms', 2),
      'signed-in': page('other', 9),
    };
    expect(launchRow(launch(entries)).page).toBe('consent');
    expect(launchRow(launch({ 'page-shown': entry(1) })).page).toBe(null);
  });

  it('takes until the first tokens', () => {
    const entries = { 'tokens-issued\nb': entry(8), 'tokens-issued\na': entry(5) };
    expect(launchRow(launch(entries)).tookMs).toBe(5000);
  });

  it('takes until the tokens; else until its last entry, of which neither refreshes nor requests for data are one', () => {
    const later = { 'tokens-refreshed': entry(500), 'page-shown': entry(7) };
    expect(launchRow(launch({ 'tokens-issued': entry(5, { last: start + 6000 }), ...later })).tookMs).toBe(5000);
    expect(launchRow(launch(later)).tookMs).toBe(7000);
    expect(launchRow(launch({ 'page-shown': entry(-3) })).tookMs).toBe(0);
    const ofGateway = Object.keys(catalogue).find(
      (code) => catalogue[code as CauseCode].stage === 'gateway',
    ) as CauseCode;
    expect(launchRow(launch({ 'page-shown': entry(7), [ofGateway]: entry(90) })).tookMs).toBe(7000);
  });
});

describe('the entries of a launch', () => {
  it('are ordered by time, those of one moment as in the catalogue with the end last, without unknown ones', () => {
    const one = launch({
      'consent-given': entry(3),
      'person-gone': entry(3),
      'signed-in': entry(3),
      'request-received': entry(0),
      unknown: entry(1),
      'page-shown': entry(9),
    });
    expect(codes(one)).toEqual(['request-received', 'signed-in', 'consent-given', 'person-gone', 'page-shown']);
  });

  it('of one moment have a notice among the steps, in the order of the catalogue', () => {
    const all = Object.keys(catalogue) as CauseCode[];
    const moment = Object.fromEntries(all.toReversed().map((code) => [code, entry(1)]));
    const isEnd = (code: CauseCode) => !['step', 'notice'].includes(catalogue[code].severity);
    expect(codes(launch(moment))).toEqual([...all.filter((code) => !isEnd(code)), ...all.filter(isEnd)]);
  });

  it('have their times after the start, which are never before it, and no text for the developer', () => {
    const { entries } = launchView(
      launch({ 'page-shown\nx': entry(2, { last: start + 4000, count: 3 }), 'signed-in': entry(-5) }),
      0,
    );
    expect(entries).toMatchObject([
      { code: 'signed-in', afterMs: 0, lastAfterMs: 0, count: 1 },
      { code: 'page-shown', afterMs: 2000, lastAfterMs: 4000, count: 3 },
    ]);
    for (const shown of entries) expect(shown).not.toHaveProperty('developer');
  });

  it('are found by the first line of their key', () => {
    expect([codeOfKey('signed-in'), codeOfKey('signed-in\na\nb'), codeOfKey('')]).toEqual([
      'signed-in',
      'signed-in',
      '',
    ]);
  });
});

describe('a launch that was left', () => {
  const left = (entries: Parameters<typeof launch>[0], more: Partial<Launch> = {}) =>
    launchView(launch({ 'request-received': entry(0), ...entries }, { outcome: 'left', ...more }), 0);
  const page = entry(60, { detail: { page: 'login' } });

  it.each<[name: string, entries: Parameters<typeof launch>[0], code: CauseCode]>([
    ['before a page', {}, 'request-unopened'],
    ['at a page', { 'page-shown': page }, 'person-gone'],
    ['at a page that no browser has shown', { 'page-sent': page }, 'page-unopened'],
    ['at a page that was shown', { 'page-sent': page, 'page-shown': page }, 'person-gone'],
    [
      'at a page that was shown before',
      { 'page-sent': entry(61, { detail: page.detail }), 'page-shown': page },
      'page-unopened',
    ],
    ['after the code', { 'page-shown': page, 'code-issued': entry(70) }, 'code-unredeemed'],
  ])('%s ends with %s', (_, entries, code) => {
    const view = left(entries);
    expect(view.entries.at(-1)?.code).toBe(code);
    expect(view.decision?.code).toBe(code);
    expect(launchRow(launch({ 'request-received': entry(0), ...entries }, { outcome: 'left' })).decidedBy).toBe(
      view.decision?.decidedBy ?? null,
    );
  });

  it('names the page at which the user was', () => {
    expect(JSON.stringify(left({ 'page-shown': page }).decision)).toContain('login');
    expect(JSON.stringify(left({ 'page-shown': page, 'code-issued': entry(70) }).decision)).not.toContain('login');
  });

  it('ended 15 minutes after its last entry, two hours after its start at the latest', () => {
    const minutes = (count: number) => count * 60_000;
    expect(left({}).decision?.afterMs).toBe(minutes(15));
    expect(left({ 'page-shown': entry(60) }).decision?.afterMs).toBe(minutes(16));
    expect(left({ 'page-shown': entry(60 * 119) }).decision?.afterMs).toBe(minutes(120));
  });

  it('ended with its code, if it had one, and not before its last entry', () => {
    expect(left({ 'code-issued': entry(70) }).decision?.afterMs).toBe(130_000);
    expect(left({ 'code-issued': entry(70), 'proof-nonce': entry(140) }).decision?.afterMs).toBe(140_000);
  });

  it('has its end once, in a view like that of other entries', () => {
    expect(left({}).decision).toMatchObject({ count: 1, lastAfterMs: 15 * 60_000 });
    expect(left({}).forDeveloper).toContain('Time: November 22, 2026, 10:57:31 AM UTC');
  });

  it('ended 15 minutes after its start, if its entries are older', () => {
    expect(left({ 'request-received': entry(-60) }).decision?.afterMs).toBe(15 * 60_000);
  });

  it('has no such end for services, or without its request', () => {
    for (const kind of ['service', 'unknown'] as const) expect(left({}, { kind }).decision).toBe(undefined);
    expect(launchView(launch({ 'signed-in': entry(1) }, { outcome: 'left' }), 0).decision).toBe(undefined);
    expect(left({}, { outcome: 'open' }).decision).toBe(undefined);
  });
});

describe('how a launch stands', () => {
  const of = (entries: Parameters<typeof launch>[0], more: Partial<Launch> = {}) => {
    const view = launchView(launch(entries, { outcome: 'completed', ...more }), 0);
    const row = launchRow(launch(entries, { outcome: 'completed', ...more }));
    // List, headline, card and text for the developer derive from one event.
    expect([row.state, row.decidedBy]).toEqual([view.state, view.decision?.decidedBy ?? null]);
    return view;
  };
  const data = entry(20, { detail: { method: 'GET', type: 'Patient' } });
  const issued = { 'tokens-issued': entry(10) };
  const end = (seconds: number) => ({ endedBy: 'ended-by-person', endedAt: new Date(start + seconds * 1000) });

  it('is told by the last of its success, a refusal, and the end of its access', () => {
    expect(of(issued)).toMatchObject({ state: 'completed', decision: undefined });
    expect(of({ ...issued, 'gateway-not-open': data })).toMatchObject({
      state: 'request-refused',
      decision: { code: 'gateway-not-open' },
    });
    expect(of({ ...issued, 'gateway-not-open': data }, end(30))).toMatchObject({
      state: 'ended',
      decision: { code: 'ended-by-person' },
    });
    expect(of({ ...issued, 'gateway-not-open': data }, end(15))).toMatchObject({ state: 'request-refused' });
    expect(of({ ...issued, 'gateway-token-ended': data, 'tokens-refreshed': entry(40) })).toMatchObject({
      state: 'completed',
      decision: undefined,
    });
    const refused = { outcome: 'refused', cause: 'grant-ended' } as const;
    expect(of({ ...issued, 'grant-ended': entry(35) }, { ...refused, ...end(30) })).toMatchObject({
      state: 'refused',
      decision: { code: 'grant-ended' },
    });
    expect(
      of({ ...issued, 'refresh-scope': entry(25) }, { ...refused, cause: 'refresh-scope', ...end(30) }),
    ).toMatchObject({ state: 'ended', decision: { code: 'ended-by-person' } });
  });

  it('is told by the last of several refusals, also one of the moment of a success, and not by a step', () => {
    const two = { 'gateway-not-open': entry(30, { detail: data.detail }), 'gateway-account-gone': data };
    expect(of({ ...issued, ...two }).decision?.code).toBe('gateway-not-open');
    expect(
      of({ ...issued, 'gateway-account-gone': entry(30, { detail: data.detail }), 'gateway-not-open': data }).decision
        ?.code,
    ).toBe('gateway-account-gone');
    expect(of({ 'tokens-issued': entry(20), 'gateway-not-open': data }).state).toBe('request-refused');
    expect(of({ ...issued, 'gateway-not-open': data, 'page-shown': entry(50) }).state).toBe('request-refused');
    expect(of({ 'gateway-not-open': entry(10, { detail: data.detail }), 'tokens-issued': data }).state).toBe(
      'completed',
    );
    expect(of({ 'gateway-not-open': data }, { outcome: 'refused', cause: 'gateway-not-open' }).state).toBe('refused');
    expect(
      of({ 'refresh-scope': entry(5), 'gateway-not-open': data }, { outcome: 'refused', cause: 'refresh-scope' }),
    ).toMatchObject({
      state: 'refused',
      decision: { code: 'gateway-not-open' },
    });
  });

  it('has the end of the access once, which is not part of its duration', () => {
    const { entries, tookMs } = of({ 'page-shown': entry(7) }, end(90));
    expect(entries.at(-1)).toMatchObject({ code: 'ended-by-person', count: 1, afterMs: 90_000 });
    expect(tookMs).toBe(7000);
    expect(of({ 'page-shown': entry(7) }).entries).toHaveLength(1);
  });

  it('is at the app from the code on, until another page is shown', () => {
    const page = (seconds: number) => ({ 'page-shown': entry(seconds, { detail: { page: 'login' } }) });
    const open = { outcome: 'open' } as const;
    for (const seconds of [1, 2]) expect(of({ ...page(seconds), 'code-issued': entry(2) }, open).page).toBe('app');
    expect(of({ 'code-issued': entry(2), ...page(2) }, open).page).toBe('app');
    expect(of({ ...page(3), 'code-issued': entry(2) }, open).page).toBe('login');
  });

  it('is not changed by a nonce, by the end of a trial, and by an access that expired', () => {
    expect(of({ ...issued, 'gateway-nonce': data }).state).toBe('completed');
    for (const endedBy of ['ended-by-expiry', 'ended-with-trial', 'of-a-later-version'])
      expect(of(issued, { endedBy, endedAt: new Date(start + 30_000) }).state).toBe('completed');
  });

  it.each<[string, Parameters<typeof launch>[0], Partial<Launch>, RegExp]>([
    ['a refused request', { ...issued, 'gateway-not-open': data }, {}, /^The request GET Patient found nothing/],
    [
      'a refused one before a success',
      { 'gateway-not-open': data, 'tokens-refreshed': entry(40) },
      {},
      /were refused before the last success:\n- The request GET Patient/,
    ],
    ['taken back access', issued, end(30), /^The user took the access of your app back\./],
    ['a code', { 'page-shown': entry(1), 'code-issued': entry(2) }, { outcome: 'open' }, /^A code was sent/],
    [
      'a page',
      { 'page-shown': entry(1, { detail: { page: 'login' } }) },
      { outcome: 'open' },
      /shown to the user is login/,
    ],
    [
      'a page that no browser has shown',
      { 'page-sent': entry(1, { detail: { page: 'login' } }) },
      { outcome: 'open' },
      /sent to the page login\. No browser that showed it is recorded yet/,
    ],
    ['no token of a service', {}, { outcome: 'open', kind: 'service' }, /^No issued token is recorded yet/],
  ])('after %s is told to the developer, and nothing that contradicts it', (_, entries, more, text) => {
    const { forDeveloper } = of(entries, more);
    expect(forDeveloper).toMatch(text);
    expect(forDeveloper).not.toMatch(/under way|completed|No refused request/);
  });
});

describe('the decision about a launch', () => {
  it('is the entry that its cause names', () => {
    const one = launch(
      { 'password-wrong': entry(1), 'signed-in': entry(2) },
      { cause: 'password-wrong', outcome: 'refused' },
    );
    const clause = catalogue['password-wrong'].decidedBy;
    expect(decidedBy(one)).toBe(clause);
    expect(launchRow(one).decidedBy).toBe(clause);
    expect(launchView(one, 4)).toMatchObject({
      decision: { code: 'password-wrong' },
      sameCause: 4,
      clientRecordId: 'c1',
    });
  });

  it('is none without a cause, with an unknown one, or without its entry', () => {
    for (const cause of [null, 'unknown', 'password-wrong', 'toString'])
      expect(decidedBy(launch({ 'signed-in': entry(1), unknown: entry(1) }, { cause }))).toBe(null);
  });
});

describe('the text for the developer of an app', () => {
  const text = (one: Launch) => launchView(one, 0).forDeveloper.split('\n');

  it.each<[Launch['outcome'], string]>([
    ['completed', 'Tokens were issued to your app. No refused request is recorded.'],
    ['open', 'Your launch has begun. No page that was shown for it is recorded yet.'],
    ['refused', 'Your launch has ended.'],
  ])('of a launch that is %s without a decision', (outcome, sentence) => {
    expect(text(launch({ 'signed-in': entry(1) }, { outcome }))).toEqual([
      sentence,
      'Started: November 22, 2026, 10:42:31 AM UTC',
      'Reference: NB-7Q4K-2M',
    ]);
  });

  it('has each notice once, in its order', () => {
    const scope = (name: string, seconds: number) => [
      `scope-unreadable\n${seconds}`,
      entry(seconds, { detail: { scope: name } }),
    ];
    const entries = Object.fromEntries([scope('one', 1), scope('two', 2), scope('one', 3)]);
    const lines = text(launch(entries, { outcome: 'completed' })).filter((line) => line.startsWith('- '));
    expect(lines.map((line) => /one|two/.exec(line)?.[0])).toEqual(['one', 'two']);
  });

  it('has an end that decided it once', () => {
    const one = launch({ 'client-missing': entry(1) }, { cause: 'client-missing', outcome: 'refused' });
    expect(text(one)).toEqual([
      catalogue['client-missing'].developer,
      'Time: November 22, 2026, 10:42:32 AM UTC',
      'Reference: NB-7Q4K-2M',
    ]);
  });

  it('has the decision with its time, and each notice once', () => {
    const wrong = catalogue['password-wrong'].developer;
    const one = launch(
      { 'password-wrong': entry(1), 'password-wrong\nagain': entry(3), 'signed-in': entry(5) },
      { cause: 'password-wrong', outcome: 'refused' },
    );
    expect(text(one)).toEqual([
      wrong,
      `- ${wrong}`,
      'Time: November 22, 2026, 10:42:32 AM UTC',
      'Reference: NB-7Q4K-2M',
    ]);
  });
});
