/** The memory for what one answer holds back. */
export interface HeldLimits {
  /** Bytes of one resource that are held back at most. */
  longest: number;
  /** Counts further bytes; a promise if there is no memory for them yet. */
  take?: (bytes: number) => void | Promise<void>;
  /** Counts bytes that are held no more. */
  give?: (bytes: number) => void;
}

/** The bytes that an answer holds back, which grow and shrink. */
export class HeldBytes {
  private counted = 0;

  constructor(private readonly limits: HeldLimits = { longest: 10 * 1024 * 1024 }) {}

  isTooMuch(bytes: number): boolean {
    return bytes > this.limits.longest;
  }

  /** Counts what is held now; a promise if there is no memory for it yet. */
  count(bytes: number): void | Promise<void> {
    const more = bytes - this.counted;
    this.counted = bytes;
    if (more < 0) this.limits.give?.(-more);
    return more > 0 ? this.limits.take?.(more) : undefined;
  }
}
