import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Asked, clockOffset, mostClockOffset } from '../../platform/database/connection.js';
import { Database } from '../../platform/database/database.js';
import { log } from '../../platform/logging/log.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';

/** `apart`: lifetimes end so much too early or too late that the node shall get no requests. */
export type ClockAgreement = 'agree' | 'differ' | 'apart';

/** Seconds, as in the readiness report. */
const tolerated = 5;
/** A difference near the limit is not said again with each measurement. */
const againWithin = 4;
const measureEveryMs = 60_000;

/** The agreement of two clocks with a difference in seconds, after an earlier measurement. */
export function clockAgreement(offsetSeconds: number, before: ClockAgreement): ClockAgreement {
  const seconds = Math.abs(offsetSeconds);
  if (seconds > mostClockOffset) return 'apart';
  return seconds > (before === 'agree' ? tolerated : againWithin) ? 'differ' : 'agree';
}

/**
 * Compares the clock of this node with the database's, at the start, every minute and whenever the node's readiness is
 * asked for, and logs once that they begin and end to differ.
 */
@Injectable()
export class ClockWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private agreement: ClockAgreement = 'agree';
  private measuring: Repeated | undefined;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    // While the database is away, other lines say so.
    this.measuring = repeat(measureEveryMs, 'comparing the clocks failed; will retry', async () => {
      await this.measure(this.database).catch(() => undefined);
    });
    this.measuring.runNow();
  }

  async onModuleDestroy(): Promise<void> {
    await this.measuring?.stop();
  }

  async measure(asked: Asked): Promise<ClockAgreement> {
    const offsetSeconds = await clockOffset(asked);
    const before = this.agreement;
    this.agreement = clockAgreement(offsetSeconds, before);
    if (this.agreement !== before) say(this.agreement, offsetSeconds);
    return this.agreement;
  }
}

function say(agreement: ClockAgreement, offsetSeconds: number): void {
  const facts = { offsetSeconds };
  if (agreement === 'agree') log.info(facts, 'the clocks of this node and the database agree again');
  else if (agreement === 'differ') log.warn(facts, 'the clocks of this node and the database differ: synchronize them');
  else log.error(facts, 'the clocks of this node and the database differ: synchronize them; the node is not ready');
}
