import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { message } from '../../contract/messages/message.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import type { UserFacts } from '../../users/application/user-directory.js';
import type { Passkey } from '../domain/passkey.js';
import { type Ceremony, Challenges, ceremonySeconds, challengeOver } from './challenges.js';

/** EdDSA, ES256 and RS256 (COSE): each authenticator has one of them. */
const algorithms = [-8, -7, -257];
/** The longest credential id of WebAuthn Level 3 (1023 bytes), in base64url. */
const longestId = 1364;

/** Making a passkey for an account. */
export interface Registration extends Ceremony {
  purpose: 'register' | 'register-by-link';
  accountId: string;
}

/** A credential that was just made. */
export type NewCredential = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'backupEligible' | 'backedUp'
> & { attachment: string | undefined; challenge: string };

/** An answer whose signature is right. Its counter is not compared yet, and its challenge is not used up. */
export interface CheckedAnswer {
  counter: number;
  backedUp: boolean;
  challenge: string;
}

/**
 * The ceremonies of WebAuthn Level 3: options for the browser, and the checks of its answers (§7.1, §7.2). Each demands
 * that the authenticator has verified the user, so that a passkey is two factors. Attestation is not asked for.
 */
@Injectable()
export class Ceremonies {
  constructor(
    private readonly challenges: Challenges,
    private readonly config: Config,
  ) {}

  get areAllowed(): boolean {
    return this.config.account.passkeys !== 'off';
  }

  async registrationOptions(
    browser: Browser,
    ceremony: Registration,
    account: Pick<UserFacts, 'id' | 'email' | 'fullName'>,
    known: readonly Passkey[],
  ) {
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      rpName: this.config.branding.organizationTitle ?? 'Gatehouse',
      rpID: this.rpId,
      userID: Buffer.from(account.id),
      userName: account.email ?? account.fullName,
      userDisplayName: account.fullName,
      challenge: this.challenges.create(browser, ceremony),
      timeout: ceremonySeconds * 1000,
      attestationType: 'none',
      excludeCredentials: known.map(describe),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    });
  }

  /** For a sign-in without a name there are no known passkeys: the authenticator offers those that it has. */
  async requestOptions(browser: Browser, ceremony: Ceremony, known: readonly Passkey[] = []) {
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({
      rpID: this.rpId,
      challenge: this.challenges.create(browser, ceremony),
      timeout: ceremonySeconds * 1000,
      allowCredentials: known.map(describe),
      userVerification: 'required',
    });
  }

  /** Throws `invalid` for an answer that is not one to this browser's question, or is not complete. */
  async checkRegistration(browser: Browser, ceremony: Registration, answer: object): Promise<NewCredential> {
    const response = answer as RegistrationResponseJSON;
    assertId(response);
    const { verifyRegistrationResponse } = await library();
    const { verified, registrationInfo } = await this.check(response, async (expected) => {
      await assertNoAttestation(response);
      return verifyRegistrationResponse({
        response,
        ...expected(browser, ceremony),
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      });
    });
    if (!verified) throw refused();
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
    if (credential.id !== response.id) throw refused();
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: transportsOf(response),
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
      attachment: response.authenticatorAttachment,
      challenge: challengeIn(response),
    };
  }

  /** As {@link checkRegistration}. */
  async checkAnswer(browser: Browser, ceremony: Ceremony, passkey: Passkey, answer: object): Promise<CheckedAnswer> {
    const response = answer as AuthenticationResponseJSON;
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await this.check(response, (expected) =>
      verifyAuthenticationResponse({
        response,
        ...expected(browser, ceremony),
        requireUserVerification: true,
        credential: {
          id: passkey.credentialId,
          publicKey: new Uint8Array(passkey.publicKey),
          // It is compared by the statement that stores the new one.
          counter: 0,
        },
      }),
    );
    const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo ?? {};
    if (!verified || newCounter === undefined) throw refused();
    // A credential never changes whether it can be copied (§6.1.3).
    if ((credentialDeviceType === 'multiDevice') !== passkey.backupEligible) throw refused();
    return { counter: newCounter, backedUp: credentialBackedUp === true, challenge: challengeIn(response) };
  }

  private async check<T>(
    answer: ClientAnswer,
    verify: (expected: (browser: Browser, ceremony: Ceremony) => Expected) => Promise<T>,
  ): Promise<T> {
    let isForeign = false;
    const expected = (browser: Browser, ceremony: Ceremony): Expected => ({
      expectedChallenge: (encoded) => {
        isForeign = !this.challenges.isIssuedFor(browser, ceremony, decoded(encoded));
        return !isForeign;
      },
      expectedOrigin: new URL(this.config.server.issuer).origin,
      expectedRPID: this.rpId,
    });
    const verified = await verify(expected).catch((cause: unknown) => {
      throw isForeign ? challengeOver() : refused(cause);
    });
    // No page of this portal is within another one. The library looks at this in some answers only.
    const { crossOrigin, topOrigin } = clientDataIn(answer);
    if (crossOrigin || topOrigin !== undefined) throw refused();
    return verified;
  }

  private get rpId(): string {
    return new URL(this.config.server.issuer).hostname;
  }
}

interface Expected {
  expectedChallenge: (challenge: string) => boolean;
  expectedOrigin: string;
  expectedRPID: string;
}

/** Loaded at the first use: its certificates and formats would be a tenth of a node that has no passkeys. */
const library = () => import('@simplewebauthn/server');

/** The answer's credential id; throws `invalid` for an answer that cannot have one. */
export function assertId({ id }: { id?: unknown }): string {
  if (typeof id !== 'string' || id === '' || id.length > longestId || !/^[\w-]+$/.test(id)) throw refused();
  return id;
}

function describe({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports: transports as never };
}

/** As sent by the browser: used as hints for the next ceremony, and nothing else. */
function transportsOf({ response }: RegistrationResponseJSON): string[] {
  const known = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];
  const { transports } = response;
  return Array.isArray(transports) ? known.filter((name) => transports.includes(name as never)) : [];
}

interface ClientAnswer {
  response: { clientDataJSON: string };
}

function challengeIn(answer: ClientAnswer): string {
  return decoded(clientDataIn(answer).challenge);
}

/** `CollectedClientData` (WebAuthn Level 3 §5.8.1) of an answer that the library has read. */
function clientDataIn({ response }: ClientAnswer): { challenge: string; crossOrigin?: unknown; topOrigin?: unknown } {
  return JSON.parse(decoded(response.clientDataJSON));
}

/**
 * Browsers send no statement where none is asked for, or the one that a new key makes about itself (WebAuthn Level 3
 * §5.1.3). For the others the library would read certificates, and ask their issuers over the network.
 */
async function assertNoAttestation({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url'));
  const isAboutItself = attestation.get('fmt') === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (attestation.get('fmt') !== 'none' && !isAboutItself) throw new Error('an attestation that was not asked for');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}

export function refused(cause?: unknown): Problem {
  return new Problem('invalid', message('passkey-refused'), { cause });
}
