import { browserFamilyOf } from '../../../src/platform/request/browser.js';

const chrome = 'AppleWebKit/537.36 Chrome/139.0.0.0';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)';
const mobileSafari = 'AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1';

describe('The family of a browser', () => {
  it.each([
    ['Chrome', 'Windows', `${windows} ${chrome} Safari/537.36`],
    ['Edge', 'Windows', `${windows} ${chrome} Safari/537.36 Edg/139.0.0.0`],
    ['Opera', 'macOS', `${mac} ${chrome} Safari/537.36 OPR/120.0.0.0`],
    ['Firefox', 'Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0'],
    ['Firefox', 'Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'],
    ['Safari', 'macOS', `${mac} AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15`],
    ['Safari', 'iOS', `${iPhone} ${mobileSafari}`],
    ['Firefox', 'iOS', `${iPhone} AppleWebKit/605.1.15 FxiOS/142.0 Mobile/15E148 Safari/604.1`],
    ['Chrome', 'iOS', `${iPhone} AppleWebKit/605.1.15 CriOS/139.0.0.0 Mobile/15E148 Safari/604.1`],
    ['Chrome', 'Android', `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${chrome} Mobile Safari/537.36`],
    [
      'Samsung Internet',
      'Android',
      `Mozilla/5.0 (Linux; Android 15; SM-S938B) SamsungBrowser/28.0 ${chrome} Mobile Safari/537.36`,
    ],
    ['Chrome', 'ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome} Safari/537.36`],
    [null, null, 'curl/8.14.1'],
    [null, null, ''],
    [null, null, undefined],
  ])('is %s on %s for %j', (name, system, userAgent) => {
    expect(browserFamilyOf(userAgent)).toEqual({ name, system });
  });
});
