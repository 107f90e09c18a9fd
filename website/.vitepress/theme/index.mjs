import { onContentUpdated } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h, onMounted } from 'vue';
import light from '../../../docs/images/sign-in.png';
import dark from '../../../docs/images/sign-in-dark.png';
import MermaidDiagram from './MermaidDiagram.vue';
import './style.css';

/** Shows each table that does not fit its page as a list. Without scripts it scrolls. */
function fitTables() {
  const tables = [...document.querySelectorAll('.vp-doc table')];
  for (const table of tables) table.classList.remove('as-list');
  const isNarrow = innerWidth <= 640;
  const wide = tables.filter((table) => {
    const [first, second, third] = table.tBodies[0].rows[0].cells;
    const leavesNoSpace = third !== undefined || first.offsetWidth > second?.offsetWidth;
    return table.scrollWidth > table.clientWidth || (isNarrow && leavesNoSpace);
  });
  for (const table of wide) table.classList.add('as-list');
}

/** The browser loads only the picture that is shown. */
function picture(src, className) {
  const alt = 'A sign-in: the button of a site, the sign-in page, the approval, and the notes for verified clinicians';
  return h('img', { src, alt, class: className, width: 800, height: 540, loading: 'lazy' });
}

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () => [picture(light, 'light-only'), picture(dark, 'dark-only')],
    }),
  enhanceApp({ app }) {
    app.component('MermaidDiagram', MermaidDiagram);
  },
  setup() {
    onMounted(() => {
      fitTables();
      // After VitePress, which scrolls to where the heading was before the tables above it had another height.
      const heading = document.getElementById(location.hash.slice(1));
      requestAnimationFrame(() => heading?.scrollIntoView());
      addEventListener('resize', fitTables);
    });
    onContentUpdated(fitTables);
  },
};
