/**
 * Tells those who work on an answer that it is not wanted any more. An `AbortSignal` costs more than the rest of a
 * short request, and most requests are never cancelled.
 */
export class Cancellation {
  private readonly listeners = new Set<() => void>();
  private cancelled = false;
  private readonly atEnd = new Set<() => void>();

  get isCancelled(): boolean {
    return this.cancelled;
  }

  cancel(): void {
    this.cancelled = true;
    for (const listener of this.listeners) listener();
  }

  /** Calls the listener when the answer has left, or is not wanted any more. */
  onEnd(listener: () => void): void {
    this.atEnd.add(listener);
  }

  /** The request has been answered, in whatever way. */
  end(): void {
    for (const listener of this.atEnd) listener();
    this.atEnd.clear();
  }

  add(listener: () => void): void {
    this.listeners.add(listener);
  }

  remove(listener: () => void): void {
    this.listeners.delete(listener);
  }
}
