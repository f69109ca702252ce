import { useEffect } from 'react';
import type { AppSettings } from '../../../src/contract/settings.js';
import { t } from '../shared/i18n/i18n.js';

/** Title and icon of the page come from the settings, otherwise from the product (`spec §2`). */
export function useDocumentHead({ organizationTitle, organizationFavicon, organizationFaviconMimeType }: AppSettings) {
  useEffect(() => {
    document.title = organizationTitle ?? t('product.name');
  }, [organizationTitle]);

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!icon || !organizationFavicon || !organizationFaviconMimeType) return;
    icon.type = organizationFaviconMimeType;
    icon.href = `data:${organizationFaviconMimeType};base64,${organizationFavicon}`;
  }, [organizationFavicon, organizationFaviconMimeType]);
}
