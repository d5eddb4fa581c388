"""The page of `psd-impute report` in a browser, opened from its file."""

import json
import re

import pytest

CHARTS = ["values-chart", "pairs-chart", "calibration-chart"]
SECTIONS = ["missing", "random", "belong", "cells", "fit", "calibration", "settings"]


def drawn(page, chart):
    """The text of a chart's drawing."""
    return page.locator(f"#{chart} svg.plot").evaluate("svg => svg.outerHTML")


def test_it_opens_in_silence_and_asks_for_nothing(visit, people):
    watched = visit(people)
    assert watched.messages == []
    assert watched.requests == [people.as_uri()]


def test_the_policy_forbids_all_connections(visit, people):
    watched = visit(people)
    refused = watched.page.evaluate("fetch('https://example.org').then(() => 'loaded', () => 'refused')")
    image = "new Promise(done => { const i = new Image(); i.onload = () => done('loaded'); i.onerror = () => done('refused'); i.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='; })"
    assert refused == "refused" and watched.page.evaluate(image) == "refused"
    watched.page.evaluate("document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }))")
    assert watched.page.evaluate("window.ran") is None


def test_every_section_has_an_answer_and_every_chart_is_drawn(visit, people):
    page = visit(people).page
    for section in SECTIONS:
        assert page.locator(f"section#{section} h2").inner_text().endswith("?")
        if section != "settings":
            assert len(page.locator(f"section#{section} .answer").inner_text()) > 20
    for chart in CHARTS:
        svg = page.locator(f"#{chart} svg.plot")
        assert svg.get_attribute("role") == "img"
        assert svg.locator("title").first.text_content() and svg.locator("desc").first.text_content()
        assert svg.locator("path, circle, rect").count() >= 3
    assert page.locator("#cells-chart td.unsure").count() > 20
    for table, fewest in {"#missing figure": 2, "#random figure": 1, "#fit figure": 1, "#calibration figure": 2}.items():
        assert page.locator(table).count() >= fewest, table


def test_pickers_change_charts(visit, people):
    page = visit(people).page
    for chart in CHARTS:
        picker = page.locator(f"#{chart} select").first
        options = picker.locator("option").evaluate_all("options => options.map(option => option.value)")
        assert len(options) > 1
        seen = set()
        for option in options:
            picker.select_option(option)
            seen.add(drawn(page, chart) if page.locator(f"#{chart} svg.plot").count() else option)
        assert len(seen) == len(options), chart


def test_dates_are_shown_as_dates(visit, people):
    page = visit(people).page
    page.locator("#values-chart select").select_option(label="joined")
    ticks = page.locator("#values-chart .axis text").all_text_contents()
    dates = [tick for tick in ticks if re.fullmatch(r"20\d\d(-\d\d){0,2}", tick)]
    assert len(dates) > 1 and dates == sorted(dates), ticks


def test_pointing_at_a_cell_shows_its_density(visit, people):
    page = visit(people).page
    panel = page.locator("#cells-chart .panel")
    cells = page.locator("#cells-chart td.unsure")
    seen = set()
    for k in range(6):
        cells.nth(k).hover()
        assert panel.locator("svg.plot").count() == 1
        seen.add(panel.inner_text())
    assert len(seen) == 6
    numbers = [text for text in seen if "90 % interval" in text]
    assert numbers and all("Median" in text and "Mean" in text for text in numbers)


def test_arrow_keys_go_from_cell_to_cell(visit, people):
    page = visit(people).page
    panel = page.locator("#cells-chart .panel h3")
    where = lambda: page.evaluate("[document.activeElement.dataset.row, document.activeElement.dataset.column].map(Number)")
    # One stop in the order of tabs.
    assert page.locator("#cells-chart td[tabindex='0']").count() == 1
    page.locator("#cells-chart td[tabindex='0']").focus()
    row, column = where()
    page.keyboard.press("ArrowDown")
    assert where() == [row + 1, column]
    # With a modifier the key is the browser's.
    page.keyboard.press("Control+ArrowDown")
    assert where() == [row + 1, column]
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert where() == [row + 1, 1]
    number = page.evaluate("document.activeElement.parentElement.querySelector('th').textContent")
    name = page.locator("#cells-chart thead th").nth(2).inner_text()
    assert panel.inner_text() == f"Row {number}, {name}"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    assert where()[0] == row
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_tapping_a_cell_shows_it(visit, people):
    page = visit(people, width=375, has_touch=True).page
    cell = page.locator("#cells-chart td.unsure").nth(3)
    cell.tap()
    assert cell.get_attribute("aria-selected") == "true"
    number = cell.locator("xpath=..").locator("th").inner_text()
    assert page.locator("#cells-chart .panel h3").inner_text().startswith(f"Row {number},")


def test_a_hostile_table_is_harmless(visit, hostile):
    watched = visit(hostile)
    page = watched.page
    for chart in CHARTS:
        for picker in page.locator(f"#{chart} select").all():
            for k in range(picker.locator("option").count()):
                picker.select_option(index=k)
    for cell in page.locator("#cells-chart td.unsure").all()[:20]:
        cell.hover()
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    page.wait_for_timeout(100)
    assert watched.dialogs == [] and watched.messages == []
    assert watched.requests == [hostile.as_uri()]
    assert page.locator("img, iframe, object, embed, link").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("#missing tbody th").first.inner_text()
    assert "<script>alert(1)</script>" in page.locator("#missing").inner_text()


@pytest.mark.parametrize("name", ["people", "hostile", "wide"])
@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_the_page_never_scrolls_sideways(visit, request, name, width):
    page = visit(request.getfixturevalue(name), width=width).page
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_themes(visit, people, scheme):
    page = visit(people, color_scheme=scheme).page
    ratio = """selector => {
      const light = colour => {
        const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map(x => x / 255).map(x => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const style = getComputedStyle(document.querySelector(selector));
      const [a, b] = [light(style.color), light(getComputedStyle(document.body).backgroundColor)];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), light(getComputedStyle(document.body).backgroundColor)];
    }"""
    for selector in ["h2", ".answer", ".about", ".note", "nav a", "caption", "summary"]:
        contrast, background = page.evaluate(ratio, selector)
        assert contrast >= 4.5, (selector, contrast)
        assert (background < 0.1) == (scheme == "dark")


def test_controls_have_names_and_headings_are_in_order(visit, people):
    page = visit(people).page
    for control in page.locator("select").all():
        assert page.locator(f"label[for='{control.get_attribute('id')}']").inner_text()
    for landmark in ["header", "nav[aria-label]", "main", "footer"]:
        assert page.locator(landmark).count() == 1
    levels = page.locator("h1, h2, h3").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(next_ <= level + 1 for level, next_ in zip(levels, levels[1:]))
    ids = page.locator("[id]").evaluate_all("all => all.map(element => element.id)")
    assert len(ids) == len(set(ids))


def test_everything_is_unfolded_on_paper(visit, people):
    watched = visit(people)
    folded = watched.page.locator("details").count()
    watched.page.pdf()
    assert folded > 3
    assert watched.page.locator("details[open]").count() == folded


def test_answers_and_tables_need_no_script(visit, people):
    page = visit(people, java_script_enabled=False).page
    assert "Without JavaScript" in page.locator("main").inner_text()
    assert "cells" in page.locator("#missing .answer").inner_text()
    assert page.locator("#cells details table tbody tr").count() > 20


def test_the_findings_are_small(people):
    page = people.read_text(encoding="utf-8")
    findings = page.split('id="findings">')[1].split("</script>")[0]
    assert len(json.loads(findings)["columns"]) == 6
    assert len(findings) < 200_000 and len(page) < 1_000_000


def test_what_to_look_at_comes_first(visit, people):
    page = visit(people).page
    assert page.locator("main > section").first.get_attribute("id") == "look"
    assert len(page.locator("section#look .answer").inner_text()) > 20


def test_hues_of_the_heat_map_tell_signs_apart(visit, wide):
    page = visit(wide).page
    colour = "element => getComputedStyle(element).backgroundColor"
    minus, plus = (page.locator(f".heat-legend .heat-{sign}4").evaluate(colour) for sign in "np")
    assert minus != plus
    for cell in page.locator(".heat td").all():
        value = cell.inner_text().strip("*").replace("−", "-")
        sign = {"p": value[:1] != "-", "n": value[:1] == "-"}
        shade = re.search(r"heat-([pn])\d", cell.get_attribute("class"))
        assert shade is None or sign[shade[1]]


@pytest.mark.parametrize("width", [390, 1280])
def test_wide_tables_show_that_they_scroll(visit, wide, width):
    page = visit(wide, width=width).page
    for box in page.locator(".room > .scroll").all():
        wider = box.evaluate("box => box.scrollWidth - box.clientWidth > 2")
        room = box.locator("xpath=..")
        assert room.locator("> .cue").is_visible() == (wider and box.is_visible())
        assert ("more-right" in room.get_attribute("class")) == wider
    heat = page.locator(".room:has(.heat)").first
    heat.locator(".scroll").evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    page.wait_for_timeout(100)
    assert "more-left" in heat.get_attribute("class") and "more-right" not in heat.get_attribute("class")
