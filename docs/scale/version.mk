# GNU make builds a version, a job for each shard: make -f version.mk -j 8 VERSION=/data/papers-7
# After an error, or a kill, the same command goes on with the shards that are missing.
SOURCES ?= papers
VERSION ?= version
SHARDS ?= 64

shards := $(foreach i,$(shell seq 0 $$(($(SHARDS)-1))),$(VERSION)/shard-$(shell printf %05d $(i))/manifest)

.PHONY: version
version: $(shards)
	similar seal $(VERSION)

# Exit status 3 says that documents were skipped, and that the shard is written.
$(shards): $(VERSION)/shard-%/manifest:
	similar index $(SOURCES) -o $(VERSION) -shard $$(expr $* + 0)/$(SHARDS) || [ $$? -eq 3 ]
