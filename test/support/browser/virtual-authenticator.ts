import type { CDPSession, Page } from 'playwright-core';
import type { PasskeyDevice } from '../users/passkey-device.js';

export type DeviceKind = 'platform' | 'roaming';
type Lack = 'resident keys' | 'user verification';

/** A device of the user, as Chromium simulates it (WebAuthn Level 3 §11, over the DevTools protocol). */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly id: string,
  ) {}

  /**
   * `platform`: a phone or laptop; `roaming`: a security key. It verifies its user and keeps passkeys, unless it
   * `lacks` one of these.
   */
  static async connect(page: Page, kind: DeviceKind = 'platform', lacks?: Lack): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: kind === 'platform' ? 'internal' : 'usb',
        hasResidentKey: lacks !== 'resident keys',
        hasUserVerification: lacks !== 'user verification',
        isUserVerified: lacks !== 'user verification',
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  /** From now on the user does not prove to the device who they are, as with a wrong finger. */
  async setUserVerified(isUserVerified: boolean): Promise<void> {
    await this.session.send('WebAuthn.setUserVerified', { authenticatorId: this.id, isUserVerified });
  }

  /** From now on the user touches the device when it is asked, which is the default, or does not. */
  async setTouched(enabled: boolean): Promise<void> {
    await this.session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.id, enabled });
  }

  /** From now on the device has this passkey, too. */
  async hold(passkey: PasskeyDevice): Promise<void> {
    await this.session.send('WebAuthn.addCredential', { authenticatorId: this.id, credential: passkey.exported() });
  }

  async credentials(): Promise<number> {
    const { credentials } = await this.session.send('WebAuthn.getCredentials', { authenticatorId: this.id });
    return credentials.length;
  }
}
