import { Cancellation } from '../../../src/fhir-server/domain/cancellation.js';

describe('A cancellation', () => {
  it('tells each listener that is left when it happens', () => {
    const told: string[] = [];
    const cancellation = new Cancellation();
    const removed = () => told.push('removed');
    cancellation.add(() => told.push('first'));
    cancellation.add(removed);
    cancellation.add(() => told.push('second'));
    cancellation.remove(removed);
    expect([cancellation.isCancelled, told]).toEqual([false, []]);
    cancellation.cancel();
    expect([cancellation.isCancelled, told]).toEqual([true, ['first', 'second']]);
  });

  it('has happened when the listeners are told', () => {
    const cancellation = new Cancellation();
    const seen: boolean[] = [];
    cancellation.add(() => seen.push(cancellation.isCancelled));
    cancellation.cancel();
    expect(seen).toEqual([true]);
  });
});
