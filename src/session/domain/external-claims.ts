import { lineProblem } from '../../contract/rules/text.js';
import { fhirUserProblem, maxClaimValue } from '../../contract/rules/users/claims.js';
import { createdUserTypes } from '../../contract/rules/users/user-form.js';
import type { Claim } from '../../contract/session.js';

/** Claims of another provider about a user, as received: no value can be relied on to have a certain type. */
export class ExternalClaims {
  constructor(private readonly claims: Readonly<Record<string, unknown>>) {}

  /** The one value of a claim that is a single text or number; a list of one is one. */
  value(name: string): string | undefined {
    // An address that the provider has not verified is not evidence about its owner (security K-05).
    if (name === 'email' && !this.emailIsGood) return undefined;
    const [only, another] = this.values(name);
    return another === undefined ? only : undefined;
  }

  /** All texts of a claim; a list has several. */
  values(name: string): string[] {
    // Names may be URLs, so this is not a path; and no member of every object is meant.
    const claim = Object.hasOwn(this.claims, name) ? this.claims[name] : undefined;
    return [claim]
      .flat()
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .map((value) => String(value).trim())
      .filter((value) => value !== '' && lineProblem(value, maxClaimValue) === undefined);
  }

  get fullName(): string | undefined {
    const { given_name: given, family_name: family } = {
      given_name: this.value('given_name'),
      family_name: this.value('family_name'),
    };
    const parts = [given, family].filter((part) => part !== undefined).join(' ');
    return this.value('name') ?? (parts === '' ? this.value('preferred_username') : parts);
  }

  get email(): string | undefined {
    return this.value('email');
  }

  /** Claims for apps beyond name and address (OpenID Connect Core §5.1); a value that is not a text is left out. */
  get standardClaims(): Record<string, string> {
    const texts = ['given_name', 'family_name', 'locale', 'zoneinfo', 'phone_number'];
    const present = texts.map((name) => [name, this.value(name)] as const).filter(([, value]) => value !== undefined);
    // Said each time, so that what is no longer verified loses its mark.
    const verified = ['email_verified', 'phone_number_verified'].map((name) => [
      name,
      String(this.claims[name] === true || this.claims[name] === 'true'),
    ]);
    return Object.fromEntries([...present, ...verified]);
  }

  /** The address as received, verified or not: for checks that refuse. */
  get claimedEmail(): string | undefined {
    return this.values('email')[0];
  }

  /** Time of the user's last authentication, in seconds since 1970; some providers send 0. */
  get authenticatedAt(): number | undefined {
    const { auth_time: time } = this.claims;
    return typeof time === 'number' && time > 0 ? time : undefined;
  }

  /** True if a second factor was used, by the values that prove it with this provider (security K-15). */
  provesSecondFactor({ amr, acr }: { amr: readonly string[]; acr: readonly string[] }): boolean {
    const level = this.value('acr');
    return this.values('amr').some((method) => amr.includes(method)) || (level !== undefined && acr.includes(level));
  }

  /** The user's own record in a claim: `{Type}/{id}`, or the same below one of the FHIR bases. */
  recordIn(name: string, fhirBases: readonly string[]): string | undefined {
    const text = this.value(name);
    if (text === undefined) return undefined;
    // The address of one base may begin with that of another.
    const below = fhirBases.flatMap((base) => (text.startsWith(`${base}/`) ? [text.slice(base.length + 1)] : []));
    return [text, ...below].find((record) =>
      createdUserTypes.some((type) => fhirUserProblem(record, type) === undefined),
    );
  }

  /** RelatedPerson and Person resources in a claim: `{Type}/{id}`, or the same below one of the addresses of a base. */
  relatedIn(name: string, addresses: readonly string[]): string[] {
    const found = this.values(name).flatMap((text) => {
      const below = addresses.flatMap((base) => (text.startsWith(`${base}/`) ? [text.slice(base.length + 1)] : []));
      return [text, ...below].find((one) => /^(RelatedPerson|Person)\/[A-Za-z0-9.-]{1,64}$/.test(one)) ?? [];
    });
    return [...new Set(found)];
  }

  copiedClaims(wanted: readonly { claim: string; as?: string | undefined }[]): Claim[] {
    return wanted.flatMap(({ claim, as: name = claim }) =>
      [...new Set(this.values(claim))].map((value) => ({ name, value })),
    );
  }

  private get emailIsGood(): boolean {
    const { email_verified: verified } = this.claims;
    return verified !== false && verified !== 'false';
  }
}
