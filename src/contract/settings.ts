/** The password rules that apply, for the live checklist (`spec §5`). */
export class PasswordSettings {
  requireDigit: boolean;
  requiredLength: number;
  requireUppercase: boolean;
  requireLowercase: boolean;
  requireNonAlphanumeric: boolean;
}

/** Targets of "Documentation" and the set-up hints (`spec §9`). */
export class DocumentationLinks {
  product: string;
  smartConfiguration: string;
  fhirServer: string;
}

/** How users reach the help desk (`account.helpDesk`). */
export class HelpDesk {
  phone: string | null;
  email: string | null;
  /** Its web page. */
  page: string | null;
  /** When it can be reached. */
  hours: string | null;
}

/**
 * `GET /api/settings` (`spec §3` Application settings): the settings that the shell needs before a user has signed in.
 */
export class AppSettings {
  loginPageText: string | null;
  organizationTitle: string | null;
  organizationLogoMimeType: string | null;
  /** base64 */
  organizationLogo: string | null;
  organizationFaviconMimeType: string | null;
  /** base64 */
  organizationFavicon: string | null;
  /** `#RRGGBB`, or null for the product's own accent. */
  accentColor: string | null;
  adminAccountIsConfigured: boolean;
  /** True while the first admin needs the setup token that was printed at start. */
  setupTokenRequired: boolean;
  /** True if users may sign in with passkeys. */
  passkeysAllowed: boolean;
  /** True if each user of this portal is to have one (`account.passkeys: required`). */
  passkeysRequired: boolean;
  /** Null where none is configured. */
  helpDesk: HelpDesk | null;
  /** Hours that a user who has lost the second factor can wait for a link; null where this is not offered. */
  lostFactorWaitHours: number | null;
  /** True where no mail server is configured, so that mails wait for one; left out elsewhere. */
  mailWaits?: true;
  /** True where accounts may act for patients; left out elsewhere. */
  familyPages?: true;
  /** True where users without an account can ask to act for a patient; left out elsewhere. */
  askersWithoutAccount?: true;
  version: string;
  passwordSettings: PasswordSettings;
  documentation: DocumentationLinks;
}
