import type { PresenceReport, PresenceView } from '../../../src/contract/presence.js';

type State = PresenceReport['state'];
type Call = (state: State) => Promise<{ data?: PresenceView; error?: unknown }>;

/** Rows that are only passed by are not reported. */
const firstPauseMs = 700;
const pauseMs = 10_000;
const hiddenPauseMs = 30_000;

/** The calls that report again and again that a record is open in this tab; one is under way at a time. */
export class OpenReports {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private hasBegun = false;
  private hasEnded = false;
  private isUnderWay = false;
  private isChanged = false;
  private hasSaved = false;

  constructor(
    private readonly call: Call,
    private readonly isEditing: () => boolean,
    private readonly onView: (view: PresenceView) => void,
  ) {
    this.reportIn(firstPauseMs);
  }

  /** Reports now: the form was opened or closed, or the page is seen again. */
  reportChange(): void {
    if (!this.hasBegun || this.hasEnded) return;
    if (this.isUnderWay) this.isChanged = true;
    else void this.report();
  }

  /** Reports that the changes in the form were saved. */
  saved(): void {
    this.hasSaved = true;
    this.reportChange();
  }

  end(): void {
    clearTimeout(this.timer);
    if (this.hasBegun && !this.hasEnded) void this.call('left');
    this.hasEnded = true;
  }

  private reportIn(ms: number): void {
    this.timer = setTimeout(() => void this.report(), ms);
  }

  private async report(): Promise<void> {
    clearTimeout(this.timer);
    this.hasBegun = true;
    this.isUnderWay = true;
    this.isChanged = false;
    const state = this.hasSaved ? 'saved' : this.isEditing() ? 'editing' : 'viewing';
    this.hasSaved = false;
    const { data, error } = await this.call(state);
    this.isUnderWay = false;
    if (this.hasEnded) return;
    if (data) this.onView(data);
    else if (isRefused(error)) this.hasEnded = true;
    else this.hasSaved ||= state === 'saved';
    if (this.hasEnded) return;
    if (this.isChanged) void this.report();
    else this.reportIn(document.visibilityState === 'visible' ? pauseMs : hiddenPauseMs);
  }
}

/** True if the record is gone, or the caller is no longer an administrator. */
function isRefused(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return status === 400 || status === 403 || status === 404;
}
