import { hasText, sanitisedHtml } from '../../src/disclaimers/application/sanitised-html.js';

describe('The HTML of a disclaimer', () => {
  it('keeps its structure, with headings below that of its dialog', () => {
    const html =
      '<h1>Use</h1><h2>Of this</h2><p lang="de">Bitte <strong>lesen</strong>.</p><ul><li>one</li></ul>' +
      '<table><tbody><tr><th scope="row">a</th><td>b</td></tr></tbody></table>';
    expect(sanitisedHtml(html)).toBe(
      '<h3>Use</h3><h3>Of this</h3><p lang="de">Bitte <strong>lesen</strong>.</p><ul><li>one</li></ul>' +
        '<table><tbody><tr><th scope="row">a</th><td>b</td></tr></tbody></table>',
    );
  });

  it.each([
    ['a script', '<script>alert(1)</script>', ''],
    ['a handler', '<p onclick="alert(1)">a</p>', '<p>a</p>'],
    ['a picture with a handler', '<img src=x onerror=alert(1)>', ''],
    ['SVG', '<svg onload=alert(1)><script>alert(1)</script></svg>', ''],
    [
      'MathML',
      '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
      '<table></table>',
    ],
    ['a javascript: link', '<a href="javascript:alert(1)">a</a>', '<span>a</span>'],
    ['a javascript: link in disguise', '<a href=" java&#10;script:alert(1)">a</a>', '<span>a</span>'],
    ['a data: link', '<a href="data:text/html,<script>alert(1)</script>">a</a>', '<span>a</span>'],
    ['a base', '<base href="https://evil.example/">', ''],
    ['a form', '<form action="https://evil.example/"><input name=a><button>a</button></form>', 'a'],
    ['a refresh', '<meta http-equiv="refresh" content="0;url=https://evil.example/">', ''],
    ['a style', '<style>body{background:url(https://evil.example/)}</style>', ''],
    [
      'a style attribute',
      '<p style="width:expression(alert(1));background:url(https://evil.example/)">a</p>',
      '<p>a</p>',
    ],
    ['a frame', '<iframe srcdoc="<script>alert(1)</script>"></iframe>', ''],
    ['an object', '<object data="https://evil.example/"></object><embed src="https://evil.example/">', ''],
    ['a template', '<template><script>alert(1)</script></template>', ''],
    ['a noscript', '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>', '<p></p>'],
    ['names that shadow', '<p id="body" class="ant-modal" name="location">a</p>', '<p>a</p>'],
    ['a picture from elsewhere', '<img src="https://evil.example/pixel.png">', ''],
    [
      'a link within the portal',
      '<a href="/logout">a</a><a href="//evil.example">a</a><a href="#x">a</a>',
      '<span>a</span><span>a</span><span>a</span>',
    ],
    [
      'what changes its meaning when it is read again',
      '<textarea><img title="</textarea><img src=x onerror=alert(1)>">',
      '"&gt;',
    ],
    ['a comment', '<!--[if gte IE 4]><script>alert(1)</script><![endif]--><p>a</p>', '<p>a</p>'],
  ])('L-01 is shown without %s', (_, html, left) => {
    const safe = sanitisedHtml(html);
    expect({ safe }).toEqual({ safe: left });
    expect(sanitisedHtml(safe)).toBe(safe);
  });

  it.each(['https://hospital.example/privacy', 'http://hospital.example/', 'mailto:help@hospital.example'])(
    'L-02 keeps a link to %s, which opens in a separate tab',
    (href) => {
      expect(sanitisedHtml(`<a onclick="alert(1)" rel="opener" target="_self" href="${href}">a</a>`)).toBe(
        `<a rel="noopener noreferrer" target="_blank" href="${href}">a</a>`,
      );
    },
  );

  it.each(['', ' ', '<script>alert(1)</script>', '<p> </p>', '<img src=x>'])('is empty for %j', (html) => {
    expect(hasText(sanitisedHtml(html))).toBe(false);
  });
});
