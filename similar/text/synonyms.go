package text

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
)

// maxSynonyms is how many words the synonyms of an index may have, in all.
const maxSynonyms = 1 << 16

// ReadSynonyms reads synonyms: a group a line, its words parted by commas, as Solr and Elasticsearch
// have them; text after "#" is a comment. Each is one word.
func ReadSynonyms(r io.Reader) ([][]string, error) {
	var groups [][]string
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if strings.Contains(line, "=>") {
			return nil, fmt.Errorf("line %d: %q: => is not known; the words of a line mean the same", n, line)
		}
		var group []string
		for _, word := range strings.Split(line, ",") {
			group = append(group, strings.TrimSpace(word))
		}
		if groups = append(groups, group); len(groups) > maxSynonyms {
			return nil, fmt.Errorf("line %d: more than %d groups of synonyms", n, maxSynonyms)
		}
	}
	return groups, lines.Err()
}

// setSynonyms makes one term of the terms of each group: the first one.
func (n *normalizer) setSynonyms(groups [][]string) error {
	var env snowballstem.Env
	all := map[string]string{}
	words := 0
	for _, group := range groups {
		if words += len(group); words > maxSynonyms {
			return fmt.Errorf("text: synonyms of more than %d words", maxSynonyms)
		}
		first := ""
		for i, word := range group {
			list := slices.Collect(n.cut.of(word))
			if len(list) == 0 || list[0].end-list[0].start != len(word) || len(word) > MaxWord {
				return fmt.Errorf("text: the synonym %q is not one word of at most %d bytes", word, MaxWord)
			}
			term := n.compute(word, &env)
			if term == "" {
				return fmt.Errorf("text: the synonym %q is a stop word", word)
			}
			if i == 0 {
				first = term
			}
			if other, ok := all[term]; ok && other != first {
				return fmt.Errorf("text: %q is in two groups of synonyms", word)
			}
			all[term] = first
		}
	}
	if len(all) > 0 {
		n.synonyms = all
	}
	return nil
}
