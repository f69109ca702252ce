import { Injectable } from '@nestjs/common';
import type { Path } from '../../contract/rules/pages.js';
import type { AppSettings, HelpDesk } from '../../contract/settings.js';
import { Config } from '../../platform/config/config.js';
import { takesAskers } from '../../platform/config/representation.js';
import { productVersion } from '../../platform/process/product.js';
import { Admins } from '../../users/application/admins/admins.js';
import { waitHoursForLostFactor } from '../../users/application/recoveries.js';

/** The portal's own guide for operators who have written none. */
const guide: Path = '/admin/connect-fhir-server';

@Injectable()
export class Settings {
  constructor(
    private readonly config: Config,
    private readonly admins: Admins,
  ) {}

  /** `spec §3` Application settings. */
  async read(): Promise<AppSettings> {
    const { branding, account, email, representation, server } = this.config;
    const [adminAccountIsConfigured, token] = await Promise.all([
      this.admins.hadAdmin(),
      this.admins.neededSetupToken(),
    ]);
    return {
      loginPageText: branding.loginPageText ?? null,
      organizationTitle: branding.organizationTitle ?? null,
      organizationLogoMimeType: branding.logo?.mimeType ?? null,
      organizationLogo: branding.logo?.base64 ?? null,
      organizationFaviconMimeType: branding.favicon?.mimeType ?? null,
      organizationFavicon: branding.favicon?.base64 ?? null,
      accentColor: branding.accentColor ?? null,
      adminAccountIsConfigured,
      setupTokenRequired: token !== undefined,
      passkeysAllowed: account.passkeys !== 'off',
      passkeysRequired: account.passkeys === 'required',
      helpDesk: helpDeskOf(account.helpDesk),
      lostFactorWaitHours: waitHoursForLostFactor(this.config),
      ...(email.smtp === undefined && { mailWaits: true as const }),
      ...(representation && { familyPages: true as const }),
      ...(takesAskers(this.config) && { askersWithoutAccount: true as const }),
      version: productVersion,
      passwordSettings: account.password,
      documentation: {
        ...branding.documentation,
        fhirServer: branding.documentation.fhirServer ?? `${server.issuer}${guide}`,
      },
    };
  }
}

function helpDeskOf(configured: Config['account']['helpDesk']): HelpDesk | null {
  if (!configured) return null;
  const { phone = null, email = null, page = null, hours = null } = configured;
  return { phone, email, page, hours };
}
