import { onContentUpdated } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { onMounted } from 'vue';
import MermaidDiagram from './MermaidDiagram.vue';
import './style.css';

/** Shows each table that does not fit its page as a list. Without scripts it scrolls. */
function fitTables() {
  const tables = [...document.querySelectorAll('.vp-doc table')];
  for (const table of tables) table.classList.remove('as-list');
  const isNarrow = innerWidth <= 640;
  const wide = tables.filter(
    (table) => table.scrollWidth > table.clientWidth || (isNarrow && table.rows[0].cells.length > 2),
  );
  for (const table of wide) table.classList.add('as-list');
}

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('MermaidDiagram', MermaidDiagram);
  },
  setup() {
    onMounted(() => addEventListener('resize', fitTables));
    onContentUpdated(fitTables);
  },
};
