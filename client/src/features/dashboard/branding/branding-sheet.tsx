import './words/en.js';
import { Button, Form, Input } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../../api/settings.js';
import { copy } from '../../../shared/copy.js';
import { accentColors, petrol } from '../../../shared/ui/accent.js';
import { Sheet } from '../../../shared/ui/overlays/sheet.js';
import { type Brand, configurationOf, type Logo, readLogo } from './brand.js';
import { BrandPreview } from './brand-preview.js';
import styles from './branding.module.css';

const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

/**
 * Shows how name, sentence, colour and logo look, and gives the lines of the configuration for them. It stores nothing.
 */
export function BrandingSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const settings = useSettings();
  const [brand, setBrand] = useState<Brand>({
    organizationTitle: settings.organizationTitle ?? '',
    loginPageText: settings.loginPageText ?? '',
    accentColor: settings.accentColor ?? '',
  });
  const change = (changed: Partial<Brand>) => setBrand((before) => ({ ...before, ...changed }));
  const color = brand.accentColor.trim();
  const isWrong = color !== '' && !isColor(color);
  const isPale = isColor(color) && accentColors(color, 'light') === petrol.light;
  const configuration = configurationOf({ ...brand, accentColor: isWrong ? '' : color });

  return (
    <Sheet open={open} wide caption={t('branding.caption')} title={t('branding.title')} onClose={onClose}>
      <div className={styles.body}>
        <p className={styles.lead}>{t('branding.lead')}</p>
        <div className={styles.columns}>
          <Form layout="vertical" component="div">
            <Form.Item label={t('branding.organization')} htmlFor="brand-title">
              <Input
                id="brand-title"
                maxLength={100}
                value={brand.organizationTitle}
                onChange={({ target }) => change({ organizationTitle: target.value })}
              />
            </Form.Item>
            <Form.Item label={t('branding.text')} htmlFor="brand-text">
              <Input
                id="brand-text"
                maxLength={1000}
                value={brand.loginPageText}
                onChange={({ target }) => change({ loginPageText: target.value })}
              />
            </Form.Item>
            <Form.Item
              label={t('branding.color')}
              htmlFor="brand-color"
              validateStatus={isWrong ? 'error' : isPale ? 'warning' : ''}
              help={t(isWrong ? 'branding.colorWrong' : isPale ? 'branding.colorPale' : 'branding.colorHelp')}
            >
              <div className={styles.color}>
                <input
                  type="color"
                  aria-label={t('branding.chooseColor')}
                  value={isColor(color) ? color : petrol.light.colorPrimary}
                  onChange={({ target }) => change({ accentColor: target.value.toUpperCase() })}
                />
                <Input
                  id="brand-color"
                  maxLength={7}
                  spellCheck={false}
                  aria-invalid={isWrong}
                  placeholder={petrol.light.colorPrimary}
                  value={brand.accentColor}
                  onChange={({ target }) => change({ accentColor: target.value })}
                />
              </div>
            </Form.Item>
            <LogoField logo={brand.logo} onChange={(logo) => change({ logo })} />
          </Form>
          <section aria-labelledby="brand-preview">
            <h3 id="brand-preview" className={styles.heading}>
              {t('branding.preview')}
            </h3>
            <div className={styles.previews}>
              <BrandPreview brand={brand} mode="light" />
              <BrandPreview brand={brand} mode="dark" />
            </div>
          </section>
        </div>
        <section aria-labelledby="brand-configuration">
          <div className={styles.configurationHead}>
            <h3 id="brand-configuration" className={styles.heading}>
              {t('branding.forConfiguration')}
            </h3>
            {configuration && (
              <Button onClick={() => copy(configuration.whole)}>{t('branding.copyConfiguration')}</Button>
            )}
          </div>
          <p className={styles.help}>{t(configuration ? 'branding.configurationHelp' : 'branding.nothing')}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
          {configuration && <pre tabIndex={0}>{configuration.shown}</pre>}
        </section>
      </div>
    </Sheet>
  );
}

function LogoField({ logo, onChange }: { logo: Logo | undefined; onChange: (logo: Logo | undefined) => void }) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<'logoTooLarge' | 'logoWrong'>();
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    const found = await readLogo(file);
    setProblem(typeof found === 'string' ? found : undefined);
    if (typeof found !== 'string') onChange(found);
  };
  return (
    <Form.Item
      label={t('branding.logo')}
      htmlFor="brand-logo"
      validateStatus={problem ? 'error' : ''}
      help={t(`branding.${problem ?? 'logoHelp'}`)}
    >
      <input
        ref={input}
        className={styles.file}
        type="file"
        aria-label={t('branding.logo')}
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        onChange={({ target }) => read(target.files?.[0])}
      />
      <Button id="brand-logo" onClick={() => input.current?.click()}>
        {t('branding.chooseLogo')}
      </Button>
      {logo && (
        <Button
          type="text"
          onClick={() => {
            if (input.current) input.current.value = '';
            onChange(undefined);
          }}
        >
          {t('branding.removeLogo')}
        </Button>
      )}
    </Form.Item>
  );
}
