import { Injectable } from '@nestjs/common';
import { referenceOf } from '../../contract/activity/reference.js';
import { identifyLaunch, launchIdOfDay, note } from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { callerKey } from '../../platform/request/caller-key.js';

/** Programs that try dynamic registration (RFC 7591) are told that there is none, and an administrator sees them. */
@Injectable()
export class RefusedRegistrations {
  constructor(
    private readonly stray: StrayRecords,
    private readonly secrets: Secrets,
  ) {}

  /** Records the request. Returns the reference of its record. */
  refuse(): string {
    const id = this.stray.idFor('endpoint', launchIdOfDay(this.secrets, 'registration', callerKey()));
    identifyLaunch({ id, kind: 'unknown' });
    note('registration-not-offered');
    return referenceOf(id);
  }
}
