import { differences } from '../../src/contract/rules/version-conflict.js';

describe('The differences of two versions', () => {
  const stored = { name: 'a', tags: ['x'], note: null as string | null, count: 0 };

  it('are the fields with another value, each with both values', () => {
    expect(differences(stored, { name: 'b', tags: ['x', 'y'], note: '', count: 0 })).toEqual([
      { field: 'name', stored: 'a', sent: 'b' },
      { field: 'tags', stored: ['x'], sent: ['x', 'y'] },
      { field: 'note', stored: null, sent: '' },
    ]);
  });

  it('are none between equal values', () => {
    expect(differences(stored, { ...stored, tags: ['x'] })).toEqual([]);
  });
});
