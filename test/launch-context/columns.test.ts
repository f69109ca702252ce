import { Columns } from '../../src/launch-context/application/columns.js';

const standard = new Columns([]);

describe('A row of the launch-context page', () => {
  it.each([
    [{ text: 'Amelia Ward', given: ['Amy'], family: 'Ward' }, 'Amelia Ward'],
    [{ given: ['Amelia', 'Jane'], family: 'Ward' }, 'Amelia Jane Ward'],
    [{ family: 'Ward' }, 'Ward'],
  ])('has the name of a patient recorded as %j', (name, text) => {
    expect(standard.row('Patient', { resourceType: 'Patient', id: '1', name: [name] }).Name).toBe(text);
  });

  it('prefers the official name', () => {
    const name = [
      { use: 'nickname', text: 'Amy' },
      { use: 'official', text: 'Amelia Ward' },
    ];
    expect(standard.row('Patient', { resourceType: 'Patient', name }).Name).toBe('Amelia Ward');
  });

  it('describes codes in words and leaves dates to the client', () => {
    const encounter = { resourceType: 'Encounter', status: 'in-progress', period: { start: '2026-02-03T09:15:00Z' } };
    expect(standard.row('Encounter', encounter)).toEqual({
      Visit: '',
      Started: '2026-02-03T09:15:00Z',
      Status: 'In progress',
      Class: '',
    });
  });

  it('has the columns for encounters of R5, too', () => {
    const encounter = {
      resourceType: 'Encounter',
      class: [{ coding: [{ display: 'ambulatory' }] }],
      actualPeriod: { start: '2026-02-03' },
    };
    expect(standard.row('Encounter', encounter)).toMatchObject({ Class: 'ambulatory', Started: '2026-02-03' });
  });

  it('describes types without a configuration', () => {
    const procedure = { resourceType: 'Procedure', id: '7', code: { text: 'Appendectomy' } };
    expect(standard.row('Procedure', procedure)).toEqual({ Description: 'Appendectomy', Id: '7' });
  });

  it('has the configured columns instead of the standard ones', () => {
    const columns = new Columns([{ type: 'Patient', columns: [{ name: 'City', path: 'address.city' }] }]);
    expect(columns.names('Patient')).toEqual(['City']);
    const address = [{ city: 'Delft' }, { city: 'Leiden' }];
    expect(columns.row('Patient', { resourceType: 'Patient', address })).toEqual({ City: 'Delft, Leiden' });
  });

  it.each([null, 'text', { name: 'no list' }, { name: [null] }])('is built from %j without an error', (resource) => {
    expect(standard.row('Patient', resource)).toHaveProperty('Name');
  });

  it('with an invalid FHIRPath stops the start', () => {
    const columns = [{ name: 'City', path: 'address..city' }];
    expect(() => new Columns([{ type: 'Patient', columns }])).toThrow("'City' is not FHIRPath");
  });
});
