/**
 * Tells those who work on an answer that it is not wanted any more. An `AbortSignal` costs more than the rest of a short
 * request, and most requests are never cancelled.
 */
export class Cancellation {
  private readonly listeners = new Set<() => void>();
  private cancelled = false;

  get isCancelled(): boolean {
    return this.cancelled;
  }

  cancel(): void {
    this.cancelled = true;
    for (const listener of this.listeners) listener();
  }

  add(listener: () => void): void {
    this.listeners.add(listener);
  }

  remove(listener: () => void): void {
    this.listeners.delete(listener);
  }
}
