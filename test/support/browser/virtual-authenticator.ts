import type { CDPSession, Page } from 'playwright-core';

/** A device of the user, as Chromium simulates it (WebAuthn Level 3 §11, over the DevTools protocol). */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly id: string,
  ) {}

  /** `platform`: a phone or laptop that verifies its user; `roaming`: a security key with a PIN. */
  static async connect(page: Page, kind: 'platform' | 'roaming' = 'platform'): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: kind === 'platform' ? 'internal' : 'usb',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  /** From now on the user does not prove to the device who they are, as with a wrong finger. */
  async setUserVerified(isUserVerified: boolean): Promise<void> {
    await this.session.send('WebAuthn.setUserVerified', { authenticatorId: this.id, isUserVerified });
  }

  async credentials(): Promise<number> {
    const { credentials } = await this.session.send('WebAuthn.getCredentials', { authenticatorId: this.id });
    return credentials.length;
  }
}
