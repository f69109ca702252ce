import { emptyLogOf } from './empty-log.js';
import type { LogFilter } from './use-log-filter.js';

const usual: LogFilter = {
  show: null,
  clientId: null,
  personId: null,
  kind: null,
  patient: null,
  tenant: null,
  period: 'month',
};

describe('An empty log of accesses', () => {
  it.each<[why: ReturnType<typeof emptyLogOf>, filter: Partial<LogFilter>, hasAny: boolean]>([
    ['never', {}, false],
    ['never', { period: 'all' }, false],
    ['never', { clientId: 'diary', period: 'all' }, false],
    ['app', { clientId: 'diary', period: 'all' }, true],
    ['match', { clientId: 'diary', period: 'all', kind: 'Goal' }, true],
    ['match', { clientId: 'diary', period: 'all', show: 'refused' }, true],
    ['match', { period: 'all', show: 'staff' }, true],
    ['match', { period: 'all', personId: 'person' }, true],
    ['period', { clientId: 'diary' }, true],
    ['period', { period: 'week' }, true],
    ['period', { show: 'staff' }, true],
    ['earlier', {}, true],
  ])('says %s for %j where an access was ever recorded: %s', (why, filter, hasAny) => {
    expect(emptyLogOf({ ...usual, ...filter }, hasAny)).toBe(why);
  });
});
