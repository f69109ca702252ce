import type { AppSettings } from '../../../../../src/contract/settings.js';

/** The product's own mark: a gate within a gate. */
export function ProductMark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 44 44" aria-hidden="true" focusable="false">
      <rect width="44" height="44" rx="11" fill="var(--ant-color-primary)" />
      <path
        d="M11.5 33.5V21a10.5 10.5 0 0 1 21 0v12.5M18.5 33.5V22.25a3.5 3.5 0 0 1 7 0V33.5"
        fill="none"
        stroke="#fff"
        strokeWidth="3.2"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** The organization's logo, or the product's mark; always next to the organization's name, so it needs no text. */
export function Logo({ settings, size }: { settings: AppSettings; size: number }) {
  const { organizationLogo, organizationLogoMimeType } = settings;
  if (!organizationLogo || !organizationLogoMimeType) return <ProductMark size={size} />;
  // A wide one leaves room for the name.
  const fit = { maxWidth: 4 * size, objectFit: 'contain' } as const;
  return <img src={`data:${organizationLogoMimeType};base64,${organizationLogo}`} alt="" height={size} style={fit} />;
}
