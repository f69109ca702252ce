import type { ClientForm } from '../../../../../../src/contract/clients/clients.js';
import { clientSections, defaultClientForm } from '../../../../../../src/contract/rules/clients/client-fields.js';
import {
  type ClientFormAction,
  type ClientFormValues,
  clientFormReducer,
  initialValues,
  stillRefused,
  undecidedFields,
} from './client-form-reducer.js';

const before: ClientForm = { ...defaultClientForm(), clientName: 'Old', clientType: 'StandaloneApp' };
const reduced = (...actions: ClientFormAction[]): ClientFormValues =>
  actions.reduce(clientFormReducer, initialValues(before, before, undefined));
const typed: ClientFormAction = { type: 'set', change: { clientName: 'Mine' } };
const taken = { field: 'clientName', messages: ['Taken'] };
const unnamed = { field: 'redirectUris.0', messages: ['Not reachable'] };

describe('the values of a client form', () => {
  it('start with the stored client, or with the restored draft', () => {
    expect(reduced()).toMatchObject({ draft: before, base: before, isBroughtBack: false });
    const kept = { base: { ...before, clientName: 'Older' }, draft: { ...before, clientName: 'Mine' } };
    expect(initialValues(before, before, kept)).toMatchObject({ ...kept, isBroughtBack: true });
  });

  it('count replacements from outside of the fields, which render the fields again, and no typing', () => {
    expect(reduced(typed)).toMatchObject({ draft: { clientName: 'Mine' }, base: before, generation: 0 });
    const replaced = reduced({ type: 'replace', change: { clientName: 'Theirs' } });
    expect(replaced).toMatchObject({ draft: { clientName: 'Theirs' }, generation: 1 });
    const chosen = reduced({ type: 'choose-type', clientType: 'BackendService' });
    expect(chosen).toMatchObject({ draft: { clientType: 'BackendService', clientName: 'Old' }, generation: 1 });
  });

  it('are those of the stored client when the draft is discarded', () => {
    const state = reduced(typed, { type: 'refuse', problems: [taken], sent: before, errors: [] }, { type: 'discard' });
    expect(state).toMatchObject({ draft: before, isBroughtBack: false, merged: null, refused: [], generation: 1 });
  });
});

describe('the problems of a client form', () => {
  it('are shown in visited sections, and in all sections after an attempt to save', () => {
    expect([...reduced().checked]).toEqual([]);
    const [first = 'SSO', second = 'SSO'] = clientSections;
    const left = reduced({ type: 'leave-section', section: first }, { type: 'leave-section', section: second });
    expect([...left.checked]).toEqual([first, second]);
    expect([...reduced({ type: 'find-problems' }).checked]).toEqual(clientSections);
  });

  it('that the server found are shown until the value that was sent is changed, and again when it is typed again', () => {
    const refuse: ClientFormAction = { type: 'refuse', problems: [taken, unnamed], sent: before, errors: ['Sorry'] };
    const refused = reduced(refuse);
    expect(stillRefused(refused)).toEqual([taken, unnamed]);
    expect(refused.errors).toEqual(['Sorry']);
    expect([...refused.checked]).toEqual(clientSections);
    expect(stillRefused(reduced(refuse, typed))).toEqual([unnamed]);
    expect(stillRefused(reduced(refuse, typed, { type: 'set', change: { clientName: 'Old' } }))).toEqual([
      taken,
      unnamed,
    ]);
  });

  it('that belong to a value typed while the form was being saved are not shown for the new value', () => {
    expect(stillRefused(reduced(typed, { type: 'refuse', problems: [taken], sent: before, errors: [] }))).toEqual([]);
  });

  it('of the last attempt are removed by the next one', () => {
    const state = reduced({ type: 'refuse', problems: [taken], sent: before, errors: ['Sorry'] }, { type: 'send' });
    expect(state).toMatchObject({ refused: [], errors: [], merged: null });
  });
});

describe('a conflict with another administrator', () => {
  const stored: ClientForm = { ...before, clientName: 'Theirs', description: 'Also theirs' };

  it('keeps typed values, also of fields edited during saving, and accepts all other changes', () => {
    const state = reduced({ type: 'send' }, typed, { type: 'conflict', stored });
    expect(state.draft).toMatchObject({ clientName: 'Mine', description: 'Also theirs' });
    expect(state.merged).toMatchObject({ kept: ['clientName'], taken: ['description'] });
    expect(state).toMatchObject({ base: stored, generation: 1 });
    expect(state.merged?.before).toEqual(before);
  });

  it('waits for a decision about each field that both changed, and for no other field', () => {
    const both = reduced(typed, { type: 'set', change: { requirePar: true } }, { type: 'conflict', stored });
    expect(undecidedFields(both)).toEqual(['clientName']);
    const kept = clientFormReducer(both, { type: 'keep', field: 'clientName' });
    expect([undecidedFields(kept), kept.draft.clientName]).toEqual([[], 'Mine']);
    const taken = clientFormReducer(both, { type: 'take', field: 'clientName' });
    expect([undecidedFields(taken), taken.draft.clientName]).toEqual([[], 'Theirs']);
  });

  it('needs no decision about a field in which the other value was typed', () => {
    const state = reduced(typed, { type: 'conflict', stored }, { type: 'set', change: { clientName: 'Theirs' } });
    expect(undecidedFields(state)).toEqual([]);
  });

  it('waits again when the same field is changed a second time by the other administrator', () => {
    const later = { ...stored, clientName: 'Theirs again' };
    const state = reduced(
      typed,
      { type: 'conflict', stored },
      { type: 'keep', field: 'clientName' },
      { type: 'send' },
      { type: 'conflict', stored: later },
    );
    expect([undecidedFields(state), state.draft.clientName]).toEqual([['clientName'], 'Mine']);
  });

  it('is over without a decision when the draft is discarded', () => {
    const state = reduced(typed, { type: 'conflict', stored }, { type: 'discard' });
    expect([undecidedFields(state), state.draft]).toEqual([[], stored]);
  });

  it('is reported when the stored client cannot be loaded, and typed values are kept', () => {
    const state = reduced(typed, { type: 'fail', error: 'Not loaded' });
    expect(state).toMatchObject({ errors: ['Not loaded'], draft: { clientName: 'Mine' }, base: before });
  });
});

describe('the new secrets of a client form', () => {
  it('cause a question before saving, until the administrator goes back or proceeds', () => {
    expect(reduced({ type: 'ask' }).asking).toBe(true);
    expect(reduced({ type: 'ask' }, { type: 'go-back' }).asking).toBe(false);
    expect(reduced({ type: 'ask' }, { type: 'send' }).asking).toBe(false);
  });
});
