import type { PresenceReport } from '../../../src/contract/presence.js';
import { type Opening, Openings } from '../../../src/presence/domain/openings.js';

const start = Date.parse('2026-03-01T08:00:00Z');
const seconds = (count: number) => start + count * 1000;

const opening = (
  accountId: string,
  state: PresenceReport['state'] = 'viewing',
  more: Partial<Opening> = {},
): Opening => ({
  kind: 'client',
  id: 'client-1',
  accountId,
  tab: `tab of ${accountId}`,
  state,
  ...more,
});
const own = opening('ada');

/** The presence that Ada sees after these were noted at the start. */
function seen(noted: Opening[], now = start) {
  const openings = new Openings();
  for (const one of noted) openings.note(one, start);
  return openings.inOtherTabs(own, now);
}

describe('the openings of a record', () => {
  it('name each other account, by what it does', () => {
    const { others } = seen([opening('bert'), opening('cleo', 'editing'), opening('dora', 'saved'), own]);
    expect(others).toEqual([
      { accountId: 'cleo', state: 'editing' },
      { accountId: 'dora', state: 'saved' },
      { accountId: 'bert', state: 'viewing' },
    ]);
  });

  it('are in one order, independent of the order of the reports', () => {
    const one = seen([opening('bert'), opening('cleo')]);
    expect(seen([opening('cleo'), opening('bert')])).toEqual(one);
    expect(one.others.map(({ accountId }) => accountId)).toEqual(['bert', 'cleo']);
  });

  it.each([
    ['another client', { id: 'client-2' }],
    ['a user with the same id', { kind: 'user' }],
  ] as const)('do not include those of %s', (_what, more) => {
    expect(seen([opening('bert', 'viewing', more)])).toEqual({ others: [], ownTabs: null });
  });

  it.each([
    ['viewing', 'editing', 'editing'],
    ['editing', 'viewing', 'editing'],
    ['viewing', 'saved', 'saved'],
    ['saved', 'viewing', 'saved'],
    ['viewing', 'left', 'viewing'],
    ['left', 'viewing', 'viewing'],
  ] as const)('name an account with two tabs, %s and %s, once, as %s', (first, second, state) => {
    const tabs = [opening('bert', first, { tab: 'one' }), opening('bert', second, { tab: 'two' })];
    expect(seen(tabs).others).toEqual([{ accountId: 'bert', state }]);
  });

  it.each(['viewing', 'editing', 'saved'] as const)('name the own account for its other tab: %s', (state) => {
    expect(seen([own, opening('ada', state, { tab: 'other' })])).toEqual({ others: [], ownTabs: state });
  });

  it('do not name the own tab, but another account whose tab has the same name', () => {
    expect(seen([own])).toEqual({ others: [], ownTabs: null });
    expect(seen([own, opening('bert', 'viewing', { tab: own.tab })]).others).toHaveLength(1);
  });

  it('are forgotten 90 seconds after the last report', () => {
    const openings = new Openings();
    openings.note(opening('bert'), start);
    openings.note(opening('cleo'), seconds(30));
    openings.note(opening('bert'), seconds(40));
    expect(openings.inOtherTabs(own, seconds(119)).others).toHaveLength(2);
    expect(openings.inOtherTabs(own, seconds(120)).others).toEqual([{ accountId: 'bert', state: 'viewing' }]);
    expect(openings.inOtherTabs(own, seconds(130)).others).toEqual([]);
    expect(openings.size).toBe(0);
  });

  it('are not kept next to a new one after that', () => {
    const openings = new Openings();
    openings.note(opening('bert'), start);
    openings.note(opening('cleo'), seconds(90));
    expect(openings.size).toBe(1);
  });

  it('end with the tab, also if an earlier report of it is late', () => {
    expect(seen([opening('bert'), opening('bert', 'left'), opening('bert')]).others).toEqual([]);
    expect(seen([opening('bert', 'left'), opening('bert', 'editing')]).others).toEqual([]);
  });

  it('end with the sessions of the account', () => {
    const openings = new Openings();
    for (const account of ['bert', 'cleo', 'bert']) openings.note(opening(account), start);
    openings.forgetAccount('bert');
    expect(openings.inOtherTabs(own, start).others).toEqual([{ accountId: 'cleo', state: 'viewing' }]);
  });
});

describe('saved changes', () => {
  it('are reported for a minute, also after the tab has reported other things', () => {
    const after: Opening[][] = [[], [opening('bert')], [opening('bert', 'saved')], [opening('bert', 'left')]];
    for (const reports of after) {
      const openings = new Openings();
      openings.note(opening('bert', 'saved'), start);
      for (const one of reports) openings.note(one, seconds(10));
      expect(openings.inOtherTabs(own, seconds(59)).others).toEqual([{ accountId: 'bert', state: 'saved' }]);
      const left = reports[0]?.state === 'left';
      expect(openings.inOtherTabs(own, seconds(60)).others).toEqual(
        left ? [] : [{ accountId: 'bert', state: 'viewing' }],
      );
    }
  });

  it('are reported again when they are saved again', () => {
    const openings = new Openings();
    openings.note(opening('bert', 'saved'), start);
    openings.note(opening('bert', 'editing'), seconds(20));
    expect(openings.inOtherTabs(own, seconds(20)).others).toEqual([{ accountId: 'bert', state: 'editing' }]);
    openings.note(opening('bert', 'saved'), seconds(50));
    expect(openings.inOtherTabs(own, seconds(109)).others).toEqual([{ accountId: 'bert', state: 'saved' }]);
  });
});

describe('a report', () => {
  it('is sent to the nodes when the tab is new, does something else, or has not reported for half a minute', () => {
    const openings = new Openings();
    expect(openings.isNews(own, start)).toBe(true);
    openings.note(own, start);
    expect(openings.isNews(own, seconds(29))).toBe(false);
    expect(openings.isNews(own, seconds(30))).toBe(true);
    expect(openings.isNews({ ...own, state: 'editing' }, start)).toBe(true);
    expect(openings.isNews({ ...own, id: 'client-2' }, start)).toBe(true);
    expect(openings.isNews({ ...own, tab: 'another' }, start)).toBe(true);
  });

  it('is sent to the nodes after one of something else, which this node may not have heard back yet', () => {
    const openings = new Openings();
    openings.note(own, start);
    expect(openings.isNews({ ...own, state: 'editing' }, seconds(1))).toBe(true);
    expect(openings.isNews(own, seconds(2))).toBe(true);
    expect(openings.isNews(own, seconds(3))).toBe(false);
    openings.note({ ...own, state: 'editing' }, seconds(4));
    expect(openings.isNews({ ...own, state: 'editing' }, seconds(5))).toBe(true);
    openings.note({ ...own, state: 'editing' }, seconds(6));
    openings.note(own, seconds(7));
    expect(openings.isNews(own, seconds(8))).toBe(false);
  });

  it('is compared with none from before the tab was forgotten', () => {
    const openings = new Openings();
    openings.note(own, start);
    expect(openings.isNews({ ...own, state: 'editing' }, seconds(1))).toBe(true);
    expect(openings.isKnown(own, seconds(90))).toBe(false);
    openings.note(own, seconds(91));
    expect(openings.isNews(own, seconds(92))).toBe(false);
  });

  it('is not sent to the nodes after the tab has left', () => {
    const openings = new Openings();
    openings.note({ ...own, state: 'left' }, start);
    expect(openings.isNews(own, seconds(60))).toBe(false);
  });

  it('is of a known tab until the tab was silent for 90 seconds', () => {
    const openings = new Openings();
    expect(openings.isKnown(own, start)).toBe(false);
    openings.note(own, start);
    expect(openings.isKnown({ ...own, state: 'editing' }, seconds(89))).toBe(true);
    expect(openings.isKnown(own, seconds(90))).toBe(false);
    openings.note(own, start);
    expect(openings.isNews(own, seconds(90))).toBe(true);
  });
});

describe('the stored openings', () => {
  it('are bounded for one account, whose oldest tabs are forgotten', () => {
    const openings = new Openings();
    openings.note(opening('bert'), start);
    for (let tab = 0; tab < 1_000; tab++) openings.note(opening('ada', 'viewing', { tab: `tab ${tab}` }), start);
    expect(openings.size).toBe(21);
    expect(openings.isKnown(opening('ada', 'viewing', { tab: 'tab 980' }), start)).toBe(true);
    expect(openings.isKnown(opening('ada', 'viewing', { tab: 'tab 979' }), start)).toBe(false);
    expect(openings.isKnown(opening('bert'), start)).toBe(true);
  });

  it('are bounded in all', () => {
    const openings = new Openings();
    for (let account = 0; account < 3_000; account++) openings.note(opening(`account ${account}`), start);
    expect(openings.size).toBe(2_000);
    expect(openings.isKnown(opening('account 999'), start)).toBe(false);
    expect(openings.isKnown(opening('account 1000'), start)).toBe(true);
  });

  it('have room for a tab that is known already', () => {
    const openings = new Openings();
    for (let tab = 0; tab < 20; tab++) openings.note(opening('ada', 'viewing', { tab: `tab ${tab}` }), start);
    openings.note(opening('ada', 'editing', { tab: 'tab 5' }), start);
    expect(openings.size).toBe(20);
    expect(openings.isKnown(opening('ada', 'viewing', { tab: 'tab 0' }), start)).toBe(true);
  });
});
